import { GroupedOptions } from "~/ui/grouped-options";
import { Input, Select, Textarea } from "~/ui/input";
import type { BuilderField, Choice, DraftPart, PartType } from "../../builder.schema";
import { findPartType, partTitle } from "../../builder-draft.shared";
import { useBuilder } from "./builder-context";
import { namesFor } from "./completion";
import { ExpressionInput } from "./expression-input";

interface FieldControlProps {
  part: DraftPart;
  type: PartType | undefined;
  field: BuilderField;
  value: string;
  onChange(value: string): void;
}

/** Label of the empty option. */
const BLANKS: Partial<Record<BuilderField["control"]["kind"], string>> = {
  model: "Workflow's model",
  tool: "Choose a tool",
  workflow: "Choose a workflow",
  database: "Workspace database",
  category: "None",
  key: "None",
  persona: "None",
};

export function FieldControl({ part, type, field, value, onChange }: FieldControlProps) {
  const { draft, types, choices, names } = useBuilder();
  const { control, language = "text" } = field;
  // A browser would show the first option if none were selected, and submit it without script.
  const selectedOf = (options: readonly Choice[]) =>
    value !== "" || options.some((option) => option.value === "")
      ? value
      : String(type?.defaults[field.name] ?? "");
  const renderSelect = (options: readonly Choice[], selected = value) => (
    <Select value={selected} onChange={({ target }) => onChange(target.value)}>
      <GroupedOptions options={options} chosen={selected} />
    </Select>
  );
  switch (control.kind) {
    case "select":
      return renderSelect(control.options, selectedOf(control.options));
    case "next": {
      const later = draft.steps.slice(draft.steps.findIndex(({ id }) => id === part.id) + 1);
      return renderSelect([
        { value: "continue", label: "Continue" },
        { value: "stop", label: "Stop" },
        ...later.map((step) => ({
          value: step.id,
          label: `${partTitle(step, findPartType(types, "steps", step.type))} (${step.id})`,
        })),
      ]);
    }
    case "number":
      // A number input would reject expressions.
      if (language !== "none" && value.includes("{{")) break;
      return (
        <Input
          type="number"
          inputMode={Number.isInteger(control.step ?? 1) ? "numeric" : "decimal"}
          min={control.min}
          max={control.max}
          step={control.step ?? "any"}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className="max-w-40 tabular-nums"
        />
      );
    case "switch":
      return null;
    case "text":
    case "textarea":
    case "code":
    case "expression":
    case "condition":
      break;
    default:
      return renderSelect([{ value: "", label: BLANKS[control.kind] ?? "None" }, ...choices[control.kind]]);
  }
  const rows = control.kind === "textarea" ? 4 : control.kind === "code" ? 6 : undefined;
  const mono = control.kind !== "text" && control.kind !== "textarea";
  if (language === "none")
    return rows ? (
      <Textarea
        rows={rows}
        value={value}
        spellCheck={!mono}
        onChange={({ target }) => onChange(target.value)}
        className={mono ? "font-mono text-xs" : ""}
      />
    ) : (
      <Input value={value} autoComplete="off" onChange={({ target }) => onChange(target.value)} />
    );
  return (
    <ExpressionInput
      value={value}
      onChange={onChange}
      isExpression={language === "expression"}
      names={namesFor(draft, part.id, names, types)}
      mono={mono}
      {...(rows ? { rows } : {})}
    />
  );
}
