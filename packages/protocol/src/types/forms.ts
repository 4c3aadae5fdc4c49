// Generated from the schemas by `npm run schemas`. Do not edit.

/** Yes or no. */
export interface BooleanField {
  readonly kind: 'boolean';
  readonly id: string;
  /** Ready to display. */
  readonly label: string;
  readonly description?: string;
  /** The answer may leave it out. All others are required. */
  readonly optional?: true;
  readonly default?: boolean;
}

/** One of the choices: its id. */
export interface ChoiceField {
  readonly kind: 'choice';
  readonly id: string;
  /** Ready to display. */
  readonly label: string;
  readonly description?: string;
  /** The answer may leave it out. All others are required. */
  readonly optional?: true;
  readonly choices: readonly FormChoice[];
  readonly default?: string;
}

/** Any number of the choices: their ids. */
export interface ChoicesField {
  readonly kind: 'choices';
  readonly id: string;
  /** Ready to display. */
  readonly label: string;
  readonly description?: string;
  /** The answer may leave it out. All others are required. */
  readonly optional?: true;
  readonly choices: readonly FormChoice[];
  /** How many at least. */
  readonly min?: number;
  /** How many at most. */
  readonly max?: number;
  readonly default?: readonly string[];
}

/** Several questions with one answer. Since version 2. */
export interface Form {
  readonly fields: readonly FormField[];
}

export interface FormChoice {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
}

export type FormField = ChoiceField | ChoicesField | TextField | NumberField | BooleanField | SecretField;

/** By the id of the field. */
export type FormSecrets = Readonly<Record<string, string>>;

export type FormValue = string | number | boolean | readonly string[];

/** By the id of the field. */
export type FormValues = Readonly<Record<string, FormValue>>;

/** A number. */
export interface NumberField {
  readonly kind: 'number';
  readonly id: string;
  /** Ready to display. */
  readonly label: string;
  readonly description?: string;
  /** The answer may leave it out. All others are required. */
  readonly optional?: true;
  readonly min?: number;
  readonly max?: number;
  readonly integer?: true;
  readonly default?: number;
}

/** A text that only the agent gets. It is answered in `secrets`, and shown as dots while it is typed. */
export interface SecretField {
  readonly kind: 'secret';
  readonly id: string;
  /** Ready to display. */
  readonly label: string;
  readonly description?: string;
  /** The answer may leave it out. All others are required. */
  readonly optional?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A text, in UTF-16 code units. */
export interface TextField {
  readonly kind: 'text';
  readonly id: string;
  /** Ready to display. */
  readonly label: string;
  readonly description?: string;
  /** The answer may leave it out. All others are required. */
  readonly optional?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** `date` is as `2026-11-18`, `date-time` as `2026-11-18T13:00:00Z`. */
  readonly format?: 'email' | 'uri' | 'date' | 'date-time';
  readonly default?: string;
}
