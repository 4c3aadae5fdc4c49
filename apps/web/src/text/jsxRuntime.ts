import type { ElementType, Key, ReactElement } from 'react';
import * as react from 'react/jsx-runtime';
import { visibleText } from './visibleText.js';

/**
 * All elements of the page are made here, so that every text passes through `visibleText`, even if a component forgets it: the
 * children of elements and fragments, and the attributes that are read or shown. A field's value belongs to its user.
 */
export { Fragment, type JSX } from 'react/jsx-runtime';

type Props = Record<string, unknown>;

const SHOWN = ['title', 'aria-label', 'alt', 'placeholder', 'aria-description'] as const;

export function jsx(type: ElementType, props: Props, key?: Key): ReactElement {
  return react.jsx(type, shown(type, props), key);
}

export function jsxs(type: ElementType, props: Props, key?: Key): ReactElement {
  return react.jsxs(type, shown(type, props), key);
}

/** For development builds; it leaves out the source position of an element. */
export function jsxDEV(type: ElementType, props: Props, key: Key | undefined, hasManyChildren: boolean): ReactElement {
  return hasManyChildren ? jsxs(type, props, key) : jsx(type, props, key);
}

function shown(type: ElementType, props: Props): Props {
  if (typeof type !== 'string' && type !== (react.Fragment as unknown)) return props;
  let next = props;
  const set = (name: string, value: unknown) => {
    if (next === props) next = { ...props };
    next[name] = value;
  };
  const children = visible(props['children']);
  if (children !== props['children']) set('children', children);
  if (typeof type === 'string')
    for (const name of SHOWN) {
      const value = props[name];
      if (typeof value !== 'string') continue;
      const text = visibleText(value);
      if (text !== value) set(name, text);
    }
  return next;
}

function visible(children: unknown): unknown {
  if (typeof children === 'string') return visibleText(children);
  if (!Array.isArray(children)) return children;
  const mapped: unknown[] = children.map(visible);
  return mapped.some((child, index) => child !== children[index]) ? mapped : children;
}
