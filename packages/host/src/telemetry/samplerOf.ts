import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/** As `OTEL_TRACES_SAMPLER` says; all without it, and with a name that is unknown. */
export function samplerOf(
  { OTEL_TRACES_SAMPLER: name = 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: argument }: NodeJS.ProcessEnv,
  warn: (what: string) => void,
): Sampler {
  const given = Number(argument ?? '1');
  const isRatio = argument === undefined || (argument.trim() !== '' && given >= 0 && given <= 1);
  if (!isRatio) warn('OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1: all traces are kept');
  const ratio = isRatio ? given : 1;
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const rootName = name.trim().replace(/^parentbased_/, '');
  const root = Object.hasOwn(roots, rootName) ? roots[rootName]?.() : undefined;
  if (!root) warn('OTEL_TRACES_SAMPLER names no sampler that is known here: all traces are kept');
  // Nothing here has a parent from elsewhere, so both forms decide alike.
  return new ParentBasedSampler({ root: root ?? new AlwaysOnSampler() });
}
