import { Form } from "@remix-run/react";
import {
  createContext,
  type FormEvent,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button } from "./button";
import { cx } from "./class-names";
import { countOf, formatCount } from "./format";

const Selection = createContext<{ form: string; name: string } | null>(null);

interface SelectionProps {
  field?: string;
  post?: string;
  noun: string;
  /** Buttons and fields of the bar's form. A button with `data-asks`, its verb, asks before it changes what Select All chose. */
  bar: ReactNode;
}

interface RowListProps {
  label: string;
  className?: string;
  flush?: boolean;
  selection?: SelectionProps;
  children: ReactNode;
}

/** With `selection`, rows can be changed in bulk, without JavaScript too. */
export function RowList({ label, className, flush, selection, children }: RowListProps) {
  const list = (
    <ul
      aria-label={label}
      className={cx(
        flush
          ? "-mx-4 border-line border-y first:-mt-1 last:-mb-4 last:rounded-b-lg last:border-b-0"
          : "rounded-lg border border-line bg-surface shadow-card",
        className,
      )}
    >
      {children}
    </ul>
  );
  return selection ? <SelectionArea {...selection}>{list}</SelectionArea> : list;
}

export function SelectionArea({ children, ...selection }: SelectionProps & { children: ReactNode }) {
  const { field = "ids", post, noun, bar } = selection;
  const form = useId();
  const area = useRef<HTMLDivElement>(null);
  const last = useRef<HTMLInputElement | null>(null);
  const isEverything = useRef(false);
  const [{ selected, all }, setCount] = useState({ selected: 0, all: 0 });
  const count = useCallback(() => {
    const boxes = boxesIn(area.current);
    const now = { selected: boxes.filter((box) => box.checked).length, all: boxes.length };
    setCount((before) => (before.selected === now.selected && before.all === now.all ? before : now));
  }, []);
  // Rows change with the page's data.
  useEffect(count);
  const setAll = (checked: boolean) => {
    for (const box of boxesIn(area.current)) box.checked = checked;
    isEverything.current = checked;
    count();
  };
  const extend = ({ target, shiftKey }: MouseEvent) => {
    if (!(target instanceof HTMLInputElement) || !target.matches("[data-select]")) return;
    const boxes = boxesIn(area.current);
    const range = shiftKey && last.current ? shiftRange(boxes, last.current, target) : [];
    for (const box of range) box.checked = target.checked;
    last.current = target;
    isEverything.current = false;
    count();
  };
  const [asked, setAsked] = useState<{ verb: string; intent: string }>();
  const ask = (event: FormEvent<HTMLFormElement>) => {
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (!(submitter instanceof HTMLButtonElement)) return;
    const { asks: verb } = submitter.dataset;
    if (asked || !verb || !isEverything.current || selected < 2) return setAsked(undefined);
    event.preventDefault();
    setAsked({ verb, intent: submitter.value });
  };
  const value = useMemo(() => ({ form, name: field }), [form, field]);
  return (
    <Selection.Provider value={value}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: clicks of the checkboxes */}
      <div ref={area} data-rows onChange={count} onClick={extend}>
        {children}
        <Form
          id={form}
          method="post"
          action={post}
          preventScrollReset
          onSubmit={ask}
          aria-label={`Selected ${noun}s`}
          className="selection-bar sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg bg-raised px-3 py-1.5 shadow-float"
        >
          <output className="mr-1 whitespace-nowrap font-medium">
            {selected > 0 ? `${countOf(selected, noun)} selected` : `Selected ${noun}s`}
          </output>
          {asked ? (
            <AllQuestion {...asked} rows={countOf(selected, noun)} onCancel={() => setAsked(undefined)} />
          ) : (
            bar
          )}
          <span className="hidden items-center gap-1 scripted:flex">
            {selected < all && (
              <Button type="button" size="sm" variant="ghost" onClick={() => setAll(true)}>
                Select All {formatCount(all)} Shown
              </Button>
            )}
            <Button type="button" size="sm" variant="ghost" onClick={() => setAll(false)}>
              Clear
            </Button>
          </span>
        </Form>
      </div>
    </Selection.Provider>
  );
}

interface AllQuestionProps {
  verb: string;
  intent: string;
  rows: string;
  onCancel(): void;
}

function AllQuestion({ verb, intent, rows, onCancel }: AllQuestionProps) {
  const question = `${verb} all ${rows}?`;
  return (
    <span role="alertdialog" aria-label={question} className="flex flex-wrap items-center gap-2">
      {question}
      <Button type="button" size="sm" autoFocus onClick={onCancel}>
        Cancel
      </Button>
      <Button size="sm" variant="danger" name="intent" value={intent}>
        {verb} {rows}
      </Button>
    </span>
  );
}

function boxesIn(area: HTMLElement | null): HTMLInputElement[] {
  return [...(area?.querySelectorAll<HTMLInputElement>("input[data-select]") ?? [])];
}

/** Visible on hover, or on all rows while one is selected. */
export function RowCheckbox({ value, name }: { value: string; name: string }) {
  const selection = useContext(Selection);
  if (!selection) return null;
  return (
    <label className="row-select grid size-8 shrink-0 place-items-center pointer-coarse:size-11">
      <span className="sr-only">Select {name}</span>
      <input
        type="checkbox"
        data-select
        form={selection.form}
        name={selection.name}
        value={value}
        className="size-4 rounded-xs accent-primary-solid"
      />
    </label>
  );
}

export function shiftRange<T>(items: readonly T[], from: T, to: T): readonly T[] {
  const [a, b] = [items.indexOf(from), items.indexOf(to)];
  return a < 0 || b < 0 ? [] : items.slice(Math.min(a, b), Math.max(a, b) + 1);
}
