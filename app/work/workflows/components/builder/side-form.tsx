import { Copy, Plus, Trash2, X } from "lucide-react";
import { type MutableRefObject, useCallback, useRef, useState } from "react";
import { Button, IconButton } from "~/ui/button";
import { Field, Select } from "~/ui/input";
import type { PartKind } from "../../builder.schema";
import { duplicatePart, findPartType, partTitle, removePart } from "../../builder-draft.shared";
import { connect, disconnect } from "../../graph-edits.shared";
import { branchesOf } from "../../workflows.shared";
import { useBuilder } from "./builder-context";
import { edgeId } from "./canvas-node";
import { partFields, tryStep } from "./lazy-forms";
import { PartIcon } from "./part-icon";

interface SideFormProps {
  id: string;
  /** Set when opening should move the focus. */
  wantsFocus: MutableRefObject<boolean>;
  onClose(): void;
}

/** The first field with an error, else the first one. */
function firstField(form: HTMLElement | null): HTMLElement | null | undefined {
  return (
    form?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
    form?.querySelector<HTMLElement>("input, select, textarea")
  );
}

export function SideForm({ id, wantsFocus, onClose }: SideFormProps) {
  const form = useRef<HTMLDivElement>(null);
  const focusFirst = useCallback(() => {
    if (wantsFocus.current) firstField(form.current)?.focus();
    wantsFocus.current = false;
  }, [wantsFocus]);
  const { draft, change, types } = useBuilder();
  const kind: PartKind = draft.triggers.some((part) => part.id === id) ? "triggers" : "steps";
  const index = draft[kind].findIndex((part) => part.id === id);
  const part = draft[kind][index];
  if (!part) return null;
  const type = findPartType(types, kind, part.type);
  const title = partTitle(part, type);
  return (
    <section
      aria-label={title}
      className="flex min-h-0 flex-col"
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <header className="flex items-center gap-2 border-line border-b p-3">
        <PartIcon type={type} />
        <h3 className="min-w-0 flex-1 truncate text-sm">{title}</h3>
        <IconButton
          type="button"
          label={`Duplicate ${title}`}
          icon={<Copy aria-hidden="true" />}
          onClick={() => change((before) => duplicatePart(before, kind, index))}
        />
        <IconButton
          type="button"
          label={`Delete ${title}`}
          icon={<Trash2 aria-hidden="true" />}
          onClick={() => {
            change((before) => removePart(before, kind, index));
            onClose();
          }}
        />
        <IconButton type="button" label="Close" icon={<X aria-hidden="true" />} onClick={onClose} />
      </header>
      <div ref={form} className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-3">
        <partFields.Part kind={kind} index={index} part={part} type={type} onReady={focusFirst} />
        <Connections id={id} />
        {kind === "steps" && <tryStep.Part stepId={id} />}
      </div>
    </section>
  );
}

/** An alternative to drawing lines. */
function Connections({ id }: { id: string }) {
  const { draft, change, types } = useBuilder();
  const [to, setTo] = useState("");
  const [branch, setBranch] = useState("");
  const step = draft.steps.find((part) => part.id === id);
  const branches = step ? branchesOf(step, findPartType(types, "steps", step.type)) : [];
  const titleOf = (part: (typeof draft.steps)[number]) =>
    partTitle(part, findPartType(types, "steps", part.type));
  const connections = draft.connections.filter(({ from }) => from === id);
  // A step with branches can lead to another by each of them.
  const connected = branches.length === 0 ? connections.map(({ to: next }) => next) : [];
  const others = draft.steps.filter((part) => part.id !== id && !connected.includes(part.id));
  const target = others.some((part) => part.id === to) ? to : (others[0]?.id ?? "");
  return (
    <fieldset className="flex flex-col gap-2 border-line border-t pt-3">
      <legend className="sr-only">Connections</legend>
      <p aria-hidden="true" className="font-medium text-sm">
        Connections
      </p>
      <ul className="flex flex-col gap-1">
        {connections.map((connection) => {
          const next = draft.steps.find((part) => part.id === connection.to);
          const name = next ? titleOf(next) : connection.to;
          return (
            <li key={edgeId(connection)} className="flex items-center gap-2">
              <span className="min-w-0 flex-1 truncate">
                {connection.branch && <span className="text-muted">{connection.branch} → </span>}
                {name}
              </span>
              <IconButton
                type="button"
                label={`Disconnect ${name}`}
                icon={<X aria-hidden="true" />}
                onClick={() => change((before) => disconnect(before, connection))}
              />
            </li>
          );
        })}
      </ul>
      {others.length > 0 && (
        <div className="flex flex-wrap items-end gap-2">
          <Field label="Connect to" className="min-w-32 flex-1">
            <Select value={target} onChange={(event) => setTo(event.target.value)}>
              {others.map((part) => (
                <option key={part.id} value={part.id}>
                  {titleOf(part)}
                </option>
              ))}
            </Select>
          </Field>
          {branches.length > 0 && (
            <Field label="Branch">
              <Select value={branch} onChange={(event) => setBranch(event.target.value)}>
                <option value="">Always</option>
                {branches.map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </Select>
            </Field>
          )}
          <Button
            type="button"
            icon={<Plus aria-hidden="true" />}
            onClick={() =>
              change((before) =>
                connect(before, { from: id, to: target, ...(branch ? { branch } : {}) }, types),
              )
            }
          >
            Connect
          </Button>
        </div>
      )}
    </fieldset>
  );
}
