import { Combobox, ComboboxInput, ComboboxOption, ComboboxOptions } from "@headlessui/react";
import { Check, Search } from "lucide-react";
import { type RefObject, useEffect, useId, useMemo, useRef, useState } from "react";
import { Badge } from "~/ui/badge";
import { countOf, formatCount } from "~/ui/format";
import { useBrowserLayout } from "~/ui/hydration";
import { writeValue } from "~/ui/typed-fields";
import type { PickerFacts } from "../model-facts.shared";
import type { OfferedModel } from "../model-picker.shared";
import { type FoundModel, findModels } from "../model-search";
import { DefaultButtons } from "./default-buttons";
import { describeFacts } from "./describe-facts";
import { usePickerFacts } from "./use-picker-facts";

interface ModelPanelProps {
  /** The picker's select, beside which the panel opens and to which its choice goes. */
  field: RefObject<HTMLSelectElement>;
  models: readonly OfferedModel[];
  /** Label of the choice of none, if there is one. */
  blank: string | undefined;
  onClose: () => void;
}

/** Distance to the field and to the window's edges, and least width and height, in px. */
const GAP = 6;
const EDGE = 8;
const MIN_WIDTH = 400;
const MIN_HEIGHT = 340;

/** Below or above the field, wherever there is room. A narrow window has it at its top, clear of a touch keyboard. */
function place(panel: HTMLElement, field: Element | null): void {
  const { innerWidth, innerHeight } = window;
  const box = field?.getBoundingClientRect();
  const { style } = panel;
  if (!box || innerWidth < 640) {
    const width = `${innerWidth - 2 * EDGE}px`;
    Object.assign(style, { width, left: `${EDGE}px`, top: `${EDGE}px`, bottom: "auto", maxHeight: "" });
    return;
  }
  const width = Math.min(Math.max(box.width, MIN_WIDTH), innerWidth - 2 * EDGE);
  const below = innerHeight - box.bottom - GAP - EDGE;
  const above = box.top - GAP - EDGE;
  const isBelow = below >= MIN_HEIGHT || below >= above;
  Object.assign(style, {
    width: `${width}px`,
    left: `${Math.max(EDGE, Math.min(box.left, innerWidth - EDGE - width))}px`,
    maxHeight: `${isBelow ? below : above}px`,
    top: isBelow ? `${box.bottom + GAP}px` : "auto",
    bottom: isBelow ? "auto" : `${innerHeight - box.top + GAP}px`,
  });
}

/** In the top layer, so that no box with its own scrolling cuts it off. */
function useTopLayer(field: RefObject<HTMLElement>, onClose: () => void): RefObject<HTMLDialogElement> {
  const panel = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useBrowserLayout(() => {
    const element = panel.current;
    if (!element) return;
    const controller = new AbortController();
    const { signal } = controller;
    element.showModal();
    place(element, field.current);
    element.querySelector("input")?.focus();
    // Native listeners come before those of a dialog around it, which would close too.
    element.addEventListener(
      "keydown",
      (event) => {
        // The combobox would take the marked row and close the panel, whose buttons come next.
        if (event.key === "Tab") event.stopPropagation();
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        close.current();
      },
      { signal },
    );
    element.addEventListener("cancel", (event) => event.preventDefault(), { signal });
    element.addEventListener("cancel", () => close.current(), { signal });
    // A press beside it is one on its backdrop.
    element.addEventListener("click", ({ target }) => target === element && close.current(), { signal });
    window.addEventListener("resize", () => place(element, field.current), { signal });
    return () => controller.abort();
  }, [field]);
  // Once the panel is gone: while it is open, the page below it takes no focus.
  useEffect(() => () => field.current?.focus({ preventScroll: true }), [field]);
  return panel;
}

export function ModelPanel({ field, models, blank, onClose }: ModelPanelProps) {
  const [chosen] = useState(field.current?.value ?? "");
  const panel = useTopLayer(field, onClose);
  const { loaded, isFailed, reload } = usePickerFacts();
  const [query, setQuery] = useState("");
  const facts = useMemo(() => new Map(loaded?.models.map((one) => [one.id, one])), [loaded]);
  const found = useMemo(() => findModels(models, facts, query), [models, facts, query]);
  const isReady = loaded !== undefined || isFailed;
  const total = found.left + found.groups.reduce((sum, group) => sum + group.models.length, 0);
  const isBlankShown = blank !== undefined && query.trim() === "";
  const model = models.find(({ id }) => id === chosen);
  const choose = (id: string | null) => {
    onClose();
    if (field.current && id !== null && id !== chosen) writeValue(field.current, id);
  };
  return (
    <dialog
      ref={panel}
      data-model-panel=""
      aria-label="Choose a model"
      onKeyDown={(event) => {
        // Where no model matches, Enter would send the form around the panel.
        if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
      }}
      className="enter fixed m-0 max-h-[calc(100dvh-1rem)] max-w-none overflow-hidden rounded-lg border border-line bg-raised p-0 text-ink shadow-float backdrop:bg-transparent open:flex"
    >
      <div className="flex min-h-0 w-full flex-col">
        <Combobox immediate value={chosen} onChange={choose}>
          <div className="relative border-line border-b">
            <Search
              aria-hidden="true"
              className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
            />
            <ComboboxInput
              aria-label="Search models"
              placeholder="Search by name, provider or ability"
              autoComplete="off"
              displayValue={() => ""}
              onChange={({ target }) => setQuery(target.value)}
              className="h-11 w-full bg-transparent pr-3 pl-9 text-ink text-sm outline-none placeholder:text-muted pointer-coarse:text-md"
            />
          </div>
          <ComboboxOptions
            static
            modal={false}
            aria-label="Models"
            className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-1"
          >
            {isReady && isBlankShown && <BlankRow label={blank} />}
            {isReady &&
              found.groups.map((group) => (
                <ModelGroup key={group.label} label={group.label} models={group.models} loaded={loaded} />
              ))}
          </ComboboxOptions>
        </Combobox>
        <p role="status" className="px-3 py-2 text-muted text-xs empty:hidden">
          {statusOf({ isReady, isFailed, total, left: found.left, query })}
        </p>
        {loaded && model && model.available !== false && (
          <DefaultButtons model={model} facts={loaded} onSaved={reload} />
        )}
      </div>
    </dialog>
  );
}

function statusOf(state: {
  isReady: boolean;
  isFailed: boolean;
  total: number;
  left: number;
  query: string;
}): string {
  if (!state.isReady) return "Loading models…";
  if (state.total === 0) return "No models found";
  if (state.left > 0) return `${formatCount(state.left)} more. Type to narrow the list.`;
  if (state.isFailed) return "Prices and abilities couldn't be loaded";
  return state.query.trim() ? countOf(state.total, "model") : "";
}

const ROW =
  "group flex min-h-11 cursor-pointer items-center gap-2.5 rounded-sm px-2 py-1.5 text-sm data-focus:bg-hover";

function Chosen() {
  return <Check aria-hidden="true" className="invisible size-4 shrink-0 group-data-selected:visible" />;
}

function BlankRow({ label }: { label: string }) {
  return (
    <ComboboxOption value="" className={ROW}>
      <span className="min-w-0 flex-1 truncate">{label}</span>
      <Chosen />
    </ComboboxOption>
  );
}

interface ModelGroupProps {
  label: string;
  models: readonly FoundModel[];
  loaded: PickerFacts | undefined;
}

function ModelGroup({ label, models, loaded }: ModelGroupProps) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, and no fieldset.
    <div role="group" aria-labelledby={id}>
      <div id={id} role="presentation" className="px-2 pt-2 pb-1 font-medium text-muted text-xs">
        {label}
      </div>
      {models.map((model) => (
        <ModelRow key={model.id} model={model} loaded={loaded} />
      ))}
    </div>
  );
}

function ModelRow({ model, loaded }: { model: FoundModel; loaded: PickerFacts | undefined }) {
  const { id, name, provider, available, facts } = model;
  return (
    <ComboboxOption value={id} className={ROW}>
      <ProviderMark name={provider} />
      <span className="min-w-0 flex-1">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">
          <span className="max-w-full truncate font-medium" title={id}>
            {name}
          </span>
          {loaded?.own === id && <Badge tone="primary">My default</Badge>}
          {loaded?.everyone === id && <Badge tone="secondary">Everyone's default</Badge>}
        </span>
        <span className="block truncate text-muted text-xs">
          {available === false ? "Not available" : [provider, ...describeFacts(facts)].join(" · ")}
        </span>
      </span>
      <Chosen />
    </ComboboxOption>
  );
}

/** A provider has any name, so that its mark is its initial. */
function ProviderMark({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      className="grid size-7 shrink-0 place-items-center rounded-md border border-line bg-sunken font-semibold text-muted text-xs uppercase"
    >
      {[...name.trim()][0] ?? "?"}
    </span>
  );
}
