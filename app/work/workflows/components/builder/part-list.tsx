import { ArrowDown, ArrowUp, Copy, Plus, Trash2 } from "lucide-react";
import { type MouseEvent, useEffect, useRef } from "react";
import { Button, IconButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { Field, Select } from "~/ui/input";
import type { DraftPart, PartKind, PartType } from "../../builder.schema";
import { applyOperation, findPartType, partTitle } from "../../builder-draft.shared";
import { useBuilder } from "./builder-context";
import { PartFields } from "./part-fields";
import { PartIcon } from "./part-icon";
import { countProblems } from "./problems";

interface TypeSelectProps {
  kind: PartKind;
  types: readonly PartType[];
  onAdd(type: PartType): void;
  /** For the form without JavaScript. */
  target: string;
}

function TypeSelect({ kind, types, onAdd, target }: TypeSelectProps) {
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
    <div className="flex items-end gap-2">
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
      <Button
        name="op"
        value={`add.${kind}`}
        formAction={target}
        icon={<Plus aria-hidden="true" />}
        onClick={(event) => {
          event.preventDefault();
          const select = event.currentTarget.form?.elements.namedItem(name);
          const type = own.find(({ type }) => select instanceof HTMLSelectElement && type === select.value);
          if (type) onAdd(type);
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
  const box = useRef<HTMLElement>(null);
  const focusOn = useRef<string>();
  // Keeps the focus on an added or moved part.
  useEffect(() => {
    if (focusOn.current) document.getElementById(focusOn.current)?.focus();
    focusOn.current = undefined;
  });
  const parts = draft[kind];
  const operate = (operation: string, target: number, addType?: string) => {
    focusOn.current = partAnchor(kind, Math.max(0, target));
    change((before) => applyOperation(before, operation, types, addType));
  };
  return (
    <section ref={box} aria-labelledby={`${kind}-title`} className="flex flex-col gap-3">
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
            count={parts.length}
            operate={operate}
          />
        ))}
      </ol>
      <TypeSelect
        kind={kind}
        types={types}
        target={`#${partAnchor(kind, parts.length)}`}
        onAdd={({ type }) => operate(`add.${kind}`, parts.length, type)}
      />
    </section>
  );
}

interface PartProps {
  kind: PartKind;
  part: DraftPart;
  index: number;
  count: number;
  operate(operation: string, target: number): void;
}

function Part({ kind, part, index, count, operate }: PartProps) {
  const { types, problems } = useBuilder();
  const type = findPartType(types, kind, part.type);
  const title = partTitle(part, type);
  const button = (verb: string, target: number) => ({
    name: "op",
    value: `${verb}.${kind}.${index}`,
    formAction: `#${partAnchor(kind, Math.max(0, target))}`,
    onClick: (event: MouseEvent) => {
      event.preventDefault();
      operate(`${verb}.${kind}.${index}`, target);
    },
  });
  const wrong = countProblems(problems, kind, index) > 0;
  return (
    <li>
      <fieldset
        id={partAnchor(kind, index)}
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
          <div className="-my-1 flex items-center">
            {index > 0 && (
              <IconButton
                label={`Move up ${title}`}
                icon={<ArrowUp aria-hidden="true" />}
                {...button("up", index - 1)}
              />
            )}
            {index < count - 1 && (
              <IconButton
                label={`Move down ${title}`}
                icon={<ArrowDown aria-hidden="true" />}
                {...button("down", index + 1)}
              />
            )}
            <IconButton
              label={`Duplicate ${title}`}
              icon={<Copy aria-hidden="true" />}
              {...button("duplicate", index + 1)}
            />
            <IconButton
              label={`Remove ${title}`}
              icon={<Trash2 aria-hidden="true" />}
              {...button("remove", index - 1)}
            />
          </div>
        </div>
        <PartFields kind={kind} index={index} part={part} type={type} />
      </fieldset>
    </li>
  );
}
