import type { ComponentClass, ElementType, ExoticComponent, Key, ReactElement } from 'react';
import * as react from 'react/jsx-runtime';
import { visibleText } from './visibleText.js';

/**
 * All elements of the page are made here, so that every text passes through `visibleText`, even if a component forgets it: the
 * children of elements and fragments, and the attributes that are read or shown. A field's value belongs to its user.
 */
export { Fragment } from 'react/jsx-runtime';

/** As in React, but a function that returns a bare text is no component: that text would not pass through here. Return a fragment. */
export declare namespace JSX {
  type Shown = ReactElement | readonly ReactElement[] | '' | false | null | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: whatever properties a component has
  type ElementType = string | ((props: any) => Shown) | ComponentClass<any> | ExoticComponent<any>;
  interface Element extends react.JSX.Element {}
  interface ElementClass extends react.JSX.ElementClass {}
  interface ElementAttributesProperty extends react.JSX.ElementAttributesProperty {}
  interface ElementChildrenAttribute extends react.JSX.ElementChildrenAttribute {}
  type LibraryManagedAttributes<C, P> = react.JSX.LibraryManagedAttributes<C, P>;
  interface IntrinsicAttributes extends react.JSX.IntrinsicAttributes {}
  interface IntrinsicClassAttributes<T> extends react.JSX.IntrinsicClassAttributes<T> {}
  interface IntrinsicElements extends react.JSX.IntrinsicElements {}
}

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
