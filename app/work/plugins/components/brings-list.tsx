import type { Plugin } from "../plugins.schema";

const LABELS = { prompts: "Prompts", steps: "Workflow steps", templates: "Workflow templates" } as const;
const KINDS = ["prompts", "steps", "templates"] as const;

export const bringsOf = ({ brings }: Pick<Plugin, "brings">) =>
  KINDS.filter((kind) => brings[kind].length > 0).map((kind) => ({
    label: LABELS[kind],
    names: brings[kind],
  }));

export function BringsList({ plugin }: { plugin: Pick<Plugin, "brings"> }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm">
      {bringsOf(plugin).map(({ label, names }) => (
        <div key={label} className="contents">
          <dt className="text-muted">{label}</dt>
          <dd className="wrap-anywhere">{names.join(", ")}</dd>
        </div>
      ))}
    </dl>
  );
}
