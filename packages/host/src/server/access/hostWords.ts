import { createHmac } from 'node:crypto';

/** 256 words that are easy to tell apart when they are read aloud. */
const WORDS = `
acorn amber anchor angle apple april arch arrow aspen atlas autumn badge baker bamboo banjo basil basin beach beacon
beaver bell birch bison blanket blossom bottle boulder branch brass bread breeze brick bridge brook bucket buffalo
butter button cabin cactus camera candle canoe canyon carbon cargo carpet castle cedar cello chalk cherry chess cinema
citrus clay clock cloud clover cobalt comet compass copper coral corner cotton crane crater cricket crystal daisy
delta denim desert diamond dolphin donkey dragon drum dune eagle earth easel echo elbow ember engine fabric falcon
feather fennel fern ferry fiddle field finch flame flint flute forest fossil fountain fox galaxy garden garlic garnet
ginger glacier glass globe goose grain granite grape gravel guitar hammer harbor harvest hazel heron hickory hill
honey horizon iron island ivory ivy jacket jasmine jelly jigsaw juniper kayak kettle kitten ladder lagoon lake lantern
laurel lemon lily linen lion lobster locket lotus lunar magnet mango maple marble marsh meadow melon meteor mint
mirror moon moss mountain mustard needle nickel noodle north nutmeg oak oasis ocean olive onion opal orange orbit
orchid otter owl oyster paddle palm panda paper parrot pasta pebble pencil pepper piano pigeon pillow pine planet plum
pocket pollen pond poppy potato prairie prism pumpkin quartz rabbit radar radish rain raven reef ribbon rice river
robin rocket rose saddle saffron salmon sand sapphire satin scarf shell silver sky snow sparrow spice spoon spring
spruce squash stone storm summer sun swan tiger timber tin tomato topaz tulip turtle valley velvet violet violin
walnut water whale wheat willow
`
  .trim()
  .split(/\s+/);

/**
 * A fingerprint of the host's own token, for people: "maple river 41 tin". It is the same at all hosts of a database, and changes
 * when the token is rotated. It says nothing of the token that could be used.
 */
export function hostWords(ownToken: string): string {
  const digest = createHmac('sha256', ownToken).update('agenthost words').digest();
  const [first, second, third] = [digest[0], digest[1], digest[2]].map((byte) => WORDS[byte ?? 0]);
  return `${first} ${second} ${10 + ((digest[3] ?? 0) % 90)} ${third}`;
}
