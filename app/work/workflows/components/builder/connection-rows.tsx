import { ChevronRight, Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "~/ui/button";
import { Field, FieldError, Select } from "~/ui/input";
import type { DraftConnection } from "../../builder.schema";
import { findPartType, partTitle } from "../../builder-draft.shared";
import { branchesOf } from "../../workflows.shared";
import { useBuilder, useOperations } from "./builder-context";

/** Without connections, steps run in order. */
export function ConnectionRows() {
  const { draft, change, types, problems } = useBuilder();
  const { connections, triggers, steps } = draft;
  const own = Object.keys(problems).filter((path) => path.startsWith("connections"));
  const button = useOperations();
  const title = (kind: "triggers" | "steps") => (part: (typeof steps)[number]) => ({
    value: part.id,
    label: `${partTitle(part, findPartType(types, kind, part.type))} (${part.id})`,
  });
  const targets = steps.map(title("steps"));
  const sources = [...triggers.map(title("triggers")), ...targets];
  const set = (index: number, next: Partial<DraftConnection>) =>
    change((before) => ({
      ...before,
      connections: before.connections.map((one, at) => (at === index ? { ...one, ...next } : one)),
    }));
  return (
    <details
      className="group/connections rounded-lg border border-line bg-surface p-4"
      id="connections"
      open={connections.length > 0 || own.length > 0 || undefined}
    >
      <summary className="flex min-h-8 items-center gap-1.5 font-medium pointer-coarse:min-h-11">
        <ChevronRight aria-hidden="true" className="size-4 group-open/connections:rotate-90" />
        Connections
      </summary>
      <p className="mt-1 mb-3 text-muted text-xs">
        Without connections, steps run in order. With connections, a step runs after a step connected to it.
      </p>
      {problems.connections?.[0] && <FieldError>{problems.connections[0]}</FieldError>}
      <ul className="flex flex-col gap-3">
        {connections.map(({ from, to, branch = "" }, index) => {
          const step = steps.find(({ id }) => id === from);
          const type = step && findPartType(types, "steps", step.type);
          const branches = step ? branchesOf(step, type) : [];
          const offered = branch && !branches.includes(branch) ? [...branches, branch] : branches;
          const name = `connections[${index}]`;
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and several may be alike.
              key={index}
              className="grid items-end gap-2 sm:grid-cols-[1fr_1fr_10rem_auto]"
            >
              <Field label="From" name={`${name}.from`} error={problems[`connections.${index}`]?.[0]}>
                <Select value={from} onChange={({ target }) => set(index, { from: target.value })}>
                  <Options blank="Choose a step" options={sources} value={from} />
                </Select>
              </Field>
              <Field label="To" name={`${name}.to`}>
                <Select value={to} onChange={({ target }) => set(index, { to: target.value })}>
                  <Options blank="Choose a step" options={targets} value={to} />
                </Select>
              </Field>
              <Field label="Branch" name={`${name}.branch`}>
                <Select
                  value={branch}
                  onChange={({ target }) => set(index, { branch: target.value || undefined })}
                >
                  <Options
                    blank="Always"
                    options={offered.map((value) => ({ value, label: value }))}
                    value={branch}
                  />
                </Select>
              </Field>
              <IconButton
                label={`Remove connection ${index + 1}`}
                icon={<Trash2 aria-hidden="true" />}
                {...button(`disconnect.${index}`, "connections")}
              />
            </li>
          );
        })}
      </ul>
      <Button className="mt-3" icon={<Plus aria-hidden="true" />} {...button("connect", "connections")}>
        Add Connection
      </Button>
    </details>
  );
}

interface OptionsProps {
  blank: string;
  options: readonly { value: string; label: string }[];
  value: string;
}

function Options({ blank, options, value }: OptionsProps) {
  const isGone = value !== "" && !options.some((option) => option.value === value);
  return (
    <>
      <option value="">{blank}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
      {isGone && <option value={value}>{value} (missing)</option>}
    </>
  );
}
