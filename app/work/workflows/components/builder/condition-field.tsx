import { Plus, Rows3, Trash2, Type } from "lucide-react";
import { type ReactNode, useId, useRef } from "react";
import { Button, IconButton } from "~/ui/button";
import { Field, Input, Select } from "~/ui/input";
import { changePart } from "../../builder-draft.shared";
import { type ConditionRows, fitsRows, OPERATORS, rowsOf, withRows } from "../../condition-rows.shared";
import type { StepField } from "../../steps/step-type";
import { type PartProps, useBuilder, useFieldName, useOperations } from "./builder-context";
import { namesFor } from "./completion";
import { InsertButton } from "./insert-button";

interface ConditionFieldProps extends PartProps {
  field: StepField;
  problem: string | undefined;
  children: ReactNode;
}

const UNARY = new Set(["empty", "filled"]);

/** Edits a condition as rows or as an expression. */
export function ConditionField({ kind, index, part, field, problem, children }: ConditionFieldProps) {
  const { draft, change, types, names } = useBuilder();
  const list = useId();
  /** The row that was last worked on. */
  const present = useRef<number>();
  const rows = rowsOf(part);
  const nameOf = useFieldName({ kind, index });
  const operation = useOperations();
  const button = (verb: string, row = 0) =>
    operation(`${verb}.${kind}.${index}.${row}`, `${kind}-${index + 1}`);
  if (!rows)
    return (
      <div data-condition="" className="flex flex-col items-start gap-2 @xl:col-span-2">
        <Field
          label={field.label}
          {...nameOf(`config.${field.name}`)}
          hint="Write an expression that is true or false, such as: size(trigger.items) > 0"
          error={problem}
          className="w-full"
        >
          {children}
        </Field>
        {fitsRows(part) && (
          <Button size="sm" icon={<Rows3 aria-hidden="true" />} {...button("asrows")}>
            Edit as Rows
          </Button>
        )}
      </div>
    );
  const set = (next: ConditionRows, about: string) =>
    change(
      (before) => changePart(before, kind, index, withRows(part, next)),
      `${kind}.${part.id}.condition.${about}`,
    );
  const setRow = (at: number, name: "field" | "operator" | "value", value: string) =>
    set(
      { ...rows, rows: rows.rows.map((row, other) => (other === at ? { ...row, [name]: value } : row)) },
      `${at}.${name}`,
    );
  return (
    <fieldset data-condition="" className="flex min-w-0 flex-col gap-2 @xl:col-span-2">
      <legend className="mb-1.5 font-medium text-ink text-sm">{field.label}</legend>
      <div className="relative">
        <InsertButton
          label={field.label}
          partId={part.id}
          onInsert={(name) => {
            const blank = rows.rows.findIndex((row) => row.field.trim() === "");
            setRow(present.current ?? Math.max(0, blank), "field", name);
          }}
        />
      </div>
      {rows.rows.length > 1 && (
        <Field label="True when" {...nameOf("condition.match")} className="max-w-56">
          <Select
            value={rows.match}
            onChange={({ target }) =>
              set({ ...rows, match: target.value === "any" ? "any" : "all" }, "match")
            }
          >
            <option value="all">All rows are true</option>
            <option value="any">Any row is true</option>
          </Select>
        </Field>
      )}
      <datalist id={list}>
        {namesFor(draft, part.id, names, types)
          .filter(({ name }) => !name.endsWith("("))
          .map(({ name, description }) => (
            <option key={name} value={name} label={description} />
          ))}
      </datalist>
      {rows.rows.map(({ field: name, operator, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no id, and its fields are controlled.
        <div key={at} className="grid items-start gap-2 @lg:grid-cols-[5fr_3fr_4fr_auto]">
          <Field
            label={`Field ${at + 1}`}
            hideLabel
            {...nameOf(`condition.field${at}`)}
            error={at === 0 ? problem : undefined}
          >
            <Input
              list={list}
              value={name}
              placeholder="steps.search.count"
              autoComplete="off"
              spellCheck={false}
              className="font-mono text-xs"
              onFocus={() => {
                present.current = at;
              }}
              onChange={({ target }) => setRow(at, "field", target.value)}
            />
          </Field>
          <Field label={`Operator ${at + 1}`} hideLabel {...nameOf(`condition.operator${at}`)}>
            <Select value={operator} onChange={({ target }) => setRow(at, "operator", target.value)}>
              {OPERATORS.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.label}
                </option>
              ))}
            </Select>
          </Field>
          <Field label={`Value ${at + 1}`} hideLabel {...nameOf(`condition.value${at}`)}>
            <Input
              value={value}
              placeholder={UNARY.has(operator) ? "No value needed" : "Value"}
              autoComplete="off"
              onChange={({ target }) => setRow(at, "value", target.value)}
            />
          </Field>
          {rows.rows.length > 1 && (
            <IconButton
              label={`Remove row ${at + 1}`}
              icon={<Trash2 aria-hidden="true" />}
              {...button("removerow", at)}
            />
          )}
        </div>
      ))}
      <p className="text-muted text-xs">{field.hint}</p>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={<Plus aria-hidden="true" />} {...button("addrow")}>
          Add Row
        </Button>
        <Button size="sm" icon={<Type aria-hidden="true" />} {...button("astext")}>
          Edit as Text
        </Button>
      </div>
    </fieldset>
  );
}
