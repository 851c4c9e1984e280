import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { cx } from "~/ui/class-names";
import { Input, Textarea } from "~/ui/input";
import type { ExpressionName } from "../../builder.schema";
import { complete, insertName, insertValue } from "./completion";
import { InsertButton } from "./insert-button";

interface ExpressionInputProps {
  value: string;
  onChange(value: string): void;
  /** A whole expression, or text with `{{ … }}`. */
  isExpression: boolean;
  rows?: number;
  mono?: boolean;
  names: readonly ExpressionName[];
  label: string;
  /** The part that the field belongs to. */
  partId: string;
}

/** With completion inside expressions, and a button that inserts earlier outputs. */
export function ExpressionInput(props: ExpressionInputProps) {
  const { value, onChange, isExpression, rows, mono, names, label, partId } = props;
  const id = useId();
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const [suggestions, setSuggestions] = useState<readonly ExpressionName[]>([]);
  const [active, setActive] = useState(0);
  const cursor = useRef<number>();
  /** Before, a browser has the cursor at the beginning. */
  const wasFocused = useRef(false);
  useLayoutEffect(() => {
    if (cursor.current === undefined) return;
    field.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = undefined;
  });
  const suggestionCount = suggestions.length;
  useEffect(() => {
    if (suggestionCount > 0) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active, suggestionCount]);
  const close = () => setSuggestions([]);
  const insert = (name: string, into: typeof insertName) => {
    const at = wasFocused.current ? (field.current?.selectionStart ?? value.length) : value.length;
    const next = into(value, at, name, isExpression);
    cursor.current = next.cursor;
    onChange(next.text);
    close();
    field.current?.focus();
  };
  const choose = ({ name }: ExpressionName) => insert(name, insertName);
  const onKeyDown = (event: KeyboardEvent) => {
    const suggestion = suggestions[active];
    if (!suggestion) return;
    if (event.key === "ArrowDown") setActive((active + 1) % suggestions.length);
    else if (event.key === "ArrowUp") setActive((active + suggestions.length - 1) % suggestions.length);
    else if (event.key === "Enter" || event.key === "Tab") choose(suggestion);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const open = suggestions.length > 0;
  const control = {
    ref: field,
    "data-expression": isExpression || value.includes("{{") ? "" : undefined,
    value,
    onChange: ({ target }: { target: HTMLInputElement | HTMLTextAreaElement }) => {
      onChange(target.value);
      setActive(0);
      setSuggestions(complete(target.value, target.selectionStart ?? 0, isExpression, names));
    },
    onKeyDown,
    onFocus: () => {
      wasFocused.current = true;
    },
    onBlur: close,
    autoComplete: "off",
    spellCheck: !mono,
    className: mono ? "font-mono text-xs" : "",
    "aria-autocomplete": "list" as const,
    "aria-controls": open ? id : undefined,
    "aria-activedescendant": open ? `${id}-${active}` : undefined,
  };
  return (
    <div className="relative">
      {rows ? <Textarea rows={rows} {...control} /> : <Input {...control} />}
      <InsertButton label={label} partId={partId} onInsert={(name) => insert(name, insertValue)} />
      <div
        id={id}
        role="listbox"
        aria-label="Names for expressions"
        hidden={!open}
        className="absolute inset-x-0 top-full z-30 mt-1 max-h-56 overflow-auto rounded-lg bg-raised p-1 shadow-float"
      >
        {suggestions.map((suggestion, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field's keys choose.
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
          <div
            key={suggestion.name}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(suggestion)}
            className={cx(
              "cursor-pointer rounded-sm px-2 py-1.5 pointer-coarse:py-3",
              index === active && "bg-hover outline-1 outline-focus",
            )}
          >
            <span className="font-mono text-ink text-xs">{suggestion.name}</span>
            <span className="block text-muted text-xs">{suggestion.description}</span>
          </div>
        ))}
      </div>
      <span role="status" className="sr-only">
        {open ? `${suggestions.length} names. Choose with the arrow keys and Enter.` : ""}
      </span>
    </div>
  );
}
