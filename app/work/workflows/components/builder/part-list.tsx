import { ArrowDown, ArrowUp, Copy, Plus, Trash2 } from "lucide-react";
import { useRef } from "react";
import { Button, IconButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { useBrowserLayout } from "~/ui/hydration";
import { Field, Select } from "~/ui/input";
import type { PartKind, PartType } from "../../builder.schema";
import { findPartType, partTitle } from "../../builder-draft.shared";
import { applyOperation, listSpots } from "../../builder-operations.shared";
import { NODE_STATES } from "../node-states";
import { countProblems, type PartProps, useBuilder, useOperations } from "./builder-context";
import { partFields } from "./lazy-forms";
import { PartIcon } from "./part-icon";

interface TypeSelectProps {
  kind: PartKind;
  types: readonly PartType[];
  /** @param at value of a place in the list */
  onAdd(type: PartType, at: string): void;
  /** For the form without JavaScript. */
  target: string;
}

/** Where the list adds a step: at its end, or on a line. */
const PLACE = "addAt";

function TypeSelect({ kind, types, onAdd, target }: TypeSelectProps) {
  const { draft } = useBuilder();
  const spots = kind === "steps" ? listSpots(draft, types) : [];
  const own = types.filter((type) => type.kind === kind && type.unavailable === undefined);
  const categories = [...new Set(own.map(({ category }) => category))];
  const name = kind === "triggers" ? "addTrigger" : "addStep";
  const options = (category: string) =>
    own
      .filter((type) => type.category === category)
      .map(({ type, label }) => (
        <option key={type} value={type}>
          {label}
        </option>
      ));
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field label={kind === "triggers" ? "New trigger" : "New step"} name={name} className="w-full max-w-72">
        <Select>
          {categories.length > 1
            ? categories.map((category) => (
                <optgroup key={category} label={category}>
                  {options(category)}
                </optgroup>
              ))
            : options(categories[0] ?? "")}
        </Select>
      </Field>
      {spots.length > 0 && (
        <Field label="Place" name={PLACE} className="w-full max-w-72">
          <Select>
            <option value="">At the end</option>
            {spots.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <Button
        name="op"
        value={`add.${kind}`}
        formAction={target}
        icon={<Plus aria-hidden="true" />}
        onClick={(event) => {
          event.preventDefault();
          const chosenIn = (field: string) => {
            const select = event.currentTarget.form?.elements.namedItem(field);
            return select instanceof HTMLSelectElement ? select.value : "";
          };
          const type = own.find(({ type }) => type === chosenIn(name));
          if (type) onAdd(type, chosenIn(PLACE));
        }}
      >
        {kind === "triggers" ? "Add Trigger" : "Add Step"}
      </Button>
    </div>
  );
}

const TITLES = { triggers: "Triggers", steps: "Steps" };
const EMPTY = {
  triggers: "Add a trigger to start the workflow.",
  steps: "Add a step for the workflow to run.",
};

const partAnchor = (kind: PartKind, index: number) => `${kind}-${index + 1}`;

export function PartList({ kind }: { kind: PartKind }) {
  const { draft, change, types } = useBuilder();
  const focusOn = useRef<string>();
  const button = useOperations((anchor) => {
    focusOn.current = anchor;
  });
  // Keeps the focus on an added or moved part. A passive effect of the render before could run after the press.
  useBrowserLayout(() => {
    if (focusOn.current) document.getElementById(focusOn.current)?.focus();
    focusOn.current = undefined;
  });
  const parts = draft[kind];
  const next = partAnchor(kind, parts.length);
  return (
    <section aria-labelledby={`${kind}-title`} className="flex flex-col gap-3">
      <h2 id={`${kind}-title`} className="text-md">
        {TITLES[kind]}
      </h2>
      {parts.length === 0 && <p className="text-muted">{EMPTY[kind]}</p>}
      <ol className="flex flex-col gap-3">
        {parts.map((part, index) => (
          <Part
            // Duplicate ids, which the server rejects, need distinct keys.
            key={parts.findIndex(({ id }) => id === part.id) === index ? part.id : `${part.id}-${index}`}
            kind={kind}
            part={part}
            index={index}
            button={button}
          />
        ))}
      </ol>
      <TypeSelect
        kind={kind}
        types={types}
        target={`#${next}`}
        onAdd={(type, at) => {
          const added = applyOperation(draft, `add.${kind}`, types, { type: type.type, at });
          const index = added[kind].findIndex(({ id }) => !parts.some((part) => part.id === id));
          if (index >= 0) focusOn.current = partAnchor(kind, index);
          change(() => added);
        }}
      />
    </section>
  );
}

/** What a part's buttons do, and how far its place changes. */
const ACTIONS = [
  { verb: "up", label: "Move up", icon: ArrowUp, by: -1 },
  { verb: "down", label: "Move down", icon: ArrowDown, by: 1 },
  { verb: "duplicate", label: "Duplicate", icon: Copy, by: 1 },
  { verb: "remove", label: "Remove", icon: Trash2, by: -1 },
];

function Part({ kind, part, index, button }: PartProps & { button: ReturnType<typeof useOperations> }) {
  const { draft, types, problems, run } = useBuilder();
  const trace = run?.nodes[part.id];
  const state = trace && NODE_STATES[trace.state];
  const type = findPartType(types, kind, part.type);
  const title = partTitle(part, type);
  const wrong = countProblems(problems, kind, index) > 0;
  const unavailable = [index === 0 && "up", index === draft[kind].length - 1 && "down"];
  return (
    <li>
      <fieldset
        id={partAnchor(kind, index)}
        data-part=""
        tabIndex={-1}
        className={cx(
          "min-w-0 scroll-mt-20 rounded-lg border bg-surface p-4 shadow-card",
          wrong ? "border-danger-ink" : "border-line",
        )}
      >
        <legend className="sr-only">
          {index + 1}. {title}
        </legend>
        <div className="mb-4 flex flex-wrap items-start gap-x-3 gap-y-2">
          <PartIcon type={type} />
          <div className="min-w-0 flex-1">
            <p aria-hidden="true" className="font-medium">
              {index + 1}. {title}
            </p>
            <p className="text-muted text-xs">
              {type?.description ?? `Unknown type "${part.type}". Remove this component.`}
            </p>
          </div>
          {state && (
            <span className={cx("flex items-center gap-1 text-xs", state.ink)}>
              <state.icon aria-hidden="true" className="size-3.5" />
              {state.label}
            </span>
          )}
          <div className="-my-1 flex items-center">
            {ACTIONS.filter(({ verb }) => !unavailable.includes(verb)).map(
              ({ verb, label, icon: Icon, by }) => (
                <IconButton
                  key={verb}
                  label={`${label} ${title}`}
                  icon={<Icon aria-hidden="true" />}
                  {...button(`${verb}.${kind}.${index}`, partAnchor(kind, Math.max(0, index + by)))}
                />
              ),
            )}
          </div>
        </div>
        <partFields.Part kind={kind} index={index} part={part} type={type} />
      </fieldset>
    </li>
  );
}
