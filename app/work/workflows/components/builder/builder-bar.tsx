import { Link } from "@remix-run/react";
import { ChevronDown, List, Play, Redo2, Save, Undo2, Waypoints, X } from "lucide-react";
import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef } from "react";
import { ModelPicker } from "~/ai/models/model-field.shared";
import { Badge } from "~/ui/badge";
import { Button, IconButton, IconLink, LinkButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { countOf, formatDuration } from "~/ui/format";
import { Field, Input, Textarea } from "~/ui/input";
import { usePageAddress } from "~/ui/page-address";
import type { BuilderView } from "../../builder.schema";
import type { RunTrace } from "../../run-drawing.shared";
import { RunStateBadge } from "../run-state";
import { workflowTabs } from "../workflow-tabs";
import { useBuilder } from "./builder-context";

interface BarProps {
  view: BuilderView;
  hydrated: boolean;
  isEnabled: boolean | undefined;
  isChanged: boolean;
  canUndo: boolean;
  canRedo: boolean;
  undo(): void;
  redo(): void;
  onView(view: BuilderView): void;
  /** The form that is on its way. */
  pending: "save" | "run" | undefined;
  /** What is said below it, wherever one has scrolled. */
  children: ReactNode;
}

const VIEWS = [
  { name: "canvas", label: "Canvas", icon: Waypoints },
  { name: "list", label: "List", icon: List },
] as const;

export function BuilderBar(props: BarProps) {
  const { view, hydrated, isEnabled, isChanged, onView, pending, children } = props;
  const isCanvas = view === "canvas";
  const state = (
    <span className="flex items-center gap-2 whitespace-nowrap">
      {isEnabled !== undefined && (
        <Badge tone={isEnabled ? "success" : "neutral"}>{isEnabled ? "Active" : "Disabled"}</Badge>
      )}
      {isChanged && <span className="text-muted text-xs max-xl:sr-only">Unsaved changes</span>}
    </span>
  );
  const views = hydrated && (
    <fieldset className="flex rounded-md border border-line bg-sunken p-0.5">
      <legend className="sr-only">View</legend>
      {VIEWS.map(({ name, label, icon: Icon }) => (
        <IconButton
          key={name}
          type="button"
          label={label}
          variant={view === name ? "secondary" : "ghost"}
          aria-pressed={view === name}
          icon={<Icon aria-hidden="true" />}
          onClick={() => onView(name)}
        />
      ))}
    </fieldset>
  );
  const run = (
    <Button
      name="intent"
      value="run"
      pending={pending === "run"}
      title={isChanged ? "Saves the workflow, then runs it" : undefined}
      icon={<Play aria-hidden="true" />}
    >
      Run
    </Button>
  );
  const save = (
    <Button
      name="intent"
      value="save"
      variant="primary"
      pending={pending === "save"}
      icon={<Save aria-hidden="true" />}
    >
      Save Workflow
    </Button>
  );
  return (
    <div
      className={cx(
        "flex flex-col gap-2",
        isCanvas
          ? "border-line border-b bg-surface px-3 py-2"
          : "sticky short:static top-(--header) z-20 -mx-2 bg-canvas px-2 py-2",
      )}
    >
      <div className="flex flex-wrap items-center gap-2">
        {isCanvas ? (
          <>
            <h1 className="sr-only">Workflows</h1>
            <BarTabs />
            <div className="flex min-w-80 items-center gap-2 max-xl:order-last max-xl:flex-1">
              <NameField isInBar />
              <BarDetails />
            </div>
            {state}
            <div className="ml-auto flex flex-wrap items-center gap-2">
              {views}
              {run}
              {save}
            </div>
          </>
        ) : (
          <>
            {save}
            {run}
            {state}
            <span className="ml-auto flex items-center gap-2">
              {hydrated && <UndoButtons {...props} />}
              {views}
            </span>
          </>
        )}
      </div>
      <div className="flex max-h-[40dvh] flex-col gap-2 overflow-y-auto empty:hidden">{children}</div>
    </div>
  );
}

export function UndoButtons({
  undo,
  redo,
  canUndo,
  canRedo,
}: Pick<BarProps, "undo" | "redo" | "canUndo" | "canRedo">) {
  return (
    <span className="flex">
      <IconButton type="button" label="Undo" icon={<Undo2 />} onClick={undo} disabled={!canUndo} />
      <IconButton type="button" label="Redo" icon={<Redo2 />} onClick={redo} disabled={!canRedo} />
    </span>
  );
}

/** The screen's tabs in one line with the name. */
function BarTabs() {
  return (
    <nav aria-label="Workflows">
      <ul className="flex items-center">
        {workflowTabs("builder", true).map(({ label, to, active }) => (
          <li key={to}>
            <Link
              to={to}
              aria-current={active ? "page" : undefined}
              className={cx(
                "flex min-h-8 items-center rounded-md px-2 font-medium pointer-coarse:min-h-11",
                active ? "text-ink" : "text-muted hover:bg-hover hover:text-ink",
              )}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Changes a text of the workflow itself. */
function useOwnText(field: "name" | "description" | "model") {
  const { draft, change, problems } = useBuilder();
  return {
    value: draft[field],
    error: problems[field]?.[0],
    set: (value: string) => change((before) => ({ ...before, [field]: value }), field),
  };
}

export function NameField({ isInBar = false }: { isInBar?: boolean }) {
  const { value, error, set } = useOwnText("name");
  return (
    <Field
      label="Workflow name"
      name="name"
      error={error}
      required
      {...(isInBar && { hideLabel: true, className: "min-w-0 flex-1 xl:w-60" })}
    >
      <Input
        value={value}
        autoComplete="off"
        placeholder={isInBar ? "Name this workflow" : "Nine o'clock digest"}
        onChange={({ target }) => set(target.value)}
      />
    </Field>
  );
}

export function ModelField() {
  const { choices } = useBuilder();
  const { value, set } = useOwnText("model");
  return (
    <Field label="Model" name="model" hint="Choose the model for AI steps without their own">
      <ModelPicker models={choices.model} value={value} onChange={({ target }) => set(target.value)} />
    </Field>
  );
}

export function DescriptionField() {
  const { value, error, set } = useOwnText("description");
  return (
    <Field label="Description (optional)" name="description" error={error}>
      <Textarea rows={2} value={value} onChange={({ target }) => set(target.value)} />
    </Field>
  );
}

/** Model and description, which are set once, under the name. */
function BarDetails() {
  const { problems } = useBuilder();
  const details = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (details.current) details.current.open = false;
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== "Escape") return;
    close();
    details.current?.querySelector("summary")?.focus();
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) close();
  };
  return (
    <details
      ref={details}
      open={problems.description !== undefined || undefined}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
      className="group/details relative"
    >
      <summary className="flex min-h-9 cursor-pointer items-center gap-1 rounded-md px-2 font-medium text-muted hover:bg-hover hover:text-ink pointer-coarse:min-h-11">
        Details
        <ChevronDown aria-hidden="true" className="size-4 group-open/details:rotate-180" />
      </summary>
      <div
        tabIndex={-1}
        className="enter absolute top-full left-0 z-40 mt-1.5 flex w-80 flex-col gap-4 rounded-lg bg-raised p-4 shadow-float outline-none"
      >
        <ModelField />
        <DescriptionField />
      </div>
    </details>
  );
}

/** The run that is drawn on the graph, in one line. */
export function RunStrip({ run: { id, state, error, isOpen, durationMs, nodes } }: { run: RunTrace }) {
  const address = usePageAddress();
  const { draft } = useBuilder();
  const ended = Object.values(nodes).filter(({ took }) => took !== null).length;
  return (
    <section
      aria-label="Run"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-line bg-raised px-3 py-1"
    >
      <span role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <RunStateBadge state={state} />
        <span className="text-muted">
          {isOpen
            ? `${countOf(ended, "step")} done`
            : `${countOf(ended, "step")}${durationMs === null ? "" : ` in ${formatDuration(durationMs)}`}`}
        </span>
        {error && <span className="wrap-anywhere text-danger-ink">{error}</span>}
      </span>
      <span className="ml-auto flex items-center gap-1">
        <LinkButton size="sm" variant="ghost" to={`/workflows/runs/${id}`}>
          Open Run
        </LinkButton>
        <IconLink
          to={address({ run: undefined, id: draft.id })}
          label="Hide this run"
          icon={<X aria-hidden="true" />}
          preventScrollReset
        />
      </span>
    </section>
  );
}
