declare module 'parse-prometheus-text-format' {
  /** What the text has; its types are those of the test. */
  export default function parsePrometheus(text: string): unknown;
}
