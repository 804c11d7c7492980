import type { ComponentChildren, JSX } from "preact";

interface LabeledProps {
  id: string;
  label: string;
  children: ComponentChildren;
}

const Labeled = ({ id, label, children }: LabeledProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
  </div>
);

interface FieldProps {
  id: string;
  label: string;
  hint?: string;
  value: string;
  placeholder?: string;
  onInput: (value: string) => void;
}

/** A line of text, its name above, its meaning below. */
export function Field({ id, label, hint, value, placeholder, onInput }: FieldProps): JSX.Element {
  return (
    <Labeled id={id} label={label}>
      <input
        id={id}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint && <p class="hint">{hint}</p>}
    </Labeled>
  );
}

interface DayFieldProps {
  id: string;
  label: string;
  value: string;
  onChange: (day: string) => void;
  type?: "date" | "datetime-local";
}

/** A day, or a time. While somebody types one, it is none, and nothing changes. */
export function DayField({ id, label, value, onChange, type = "date" }: DayFieldProps): JSX.Element {
  return (
    <Labeled id={id} label={label}>
      <input
        id={id}
        type={type}
        value={value}
        onChange={(event) => event.currentTarget.value && onChange(event.currentTarget.value)}
      />
    </Labeled>
  );
}

interface ChoiceProps {
  id: string;
  label: string;
  options: (readonly [value: string, label: string])[];
  value: string;
  onChange: (value: string) => void;
}

/** One of several. */
export function Choice({ id, label, options, value, onChange }: ChoiceProps): JSX.Element {
  return (
    <Labeled id={id} label={label}>
      <Options id={id} options={options} value={value} onChange={onChange} />
    </Labeled>
  );
}

interface OptionsProps extends Omit<ChoiceProps, "label"> {
  /** Where no label is for it. */
  label?: string | undefined;
}

export function Options({ id, label, options, value, onChange }: OptionsProps): JSX.Element {
  return (
    <select id={id} aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([of, label]) => (
        <option key={of} value={of}>
          {label}
        </option>
      ))}
    </select>
  );
}
