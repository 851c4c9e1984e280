import { type Blocker, Form, useNavigation } from "@remix-run/react";
import { ChevronRight, Eraser, List, Save, Waypoints } from "lucide-react";
import { type KeyboardEvent, lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { ModelPicker } from "~/ai/models/model-field.shared";
import { Button, Spinner } from "~/ui/button";
import { Card } from "~/ui/card";
import { FAILURES, failureSentence } from "~/ui/failures";
import { type Result, readResult } from "~/ui/form-result";
import { DiscardQuestion } from "~/ui/guarded-forms";
import { useHydrated } from "~/ui/hydration";
import { Field, Input, Textarea } from "~/ui/input";
import { useLeaveGuard } from "~/ui/leave-guard";
import { Notice } from "~/ui/notice";
import type { BuilderView, Choices, Draft, ExpressionName, PartType, Tried } from "../../builder.schema";
import { clearDraft } from "../../builder-draft.shared";
import { draftFromForm, readDraftJson } from "../../builder-form.shared";
import { BuilderProvider, useBuilder } from "./builder-context";
import { namesFor } from "./completion";
import { ConnectionRows } from "./connection-rows";
import { PartList } from "./part-list";
import { TryStep } from "./try-step";
import { useCheck, useDraft } from "./use-draft";

const Canvas = lazy(() => import("./canvas"));
/** Minimum width of the canvas with palette and form. */
const WIDE = "(min-width: 64rem)";

interface BuilderProps {
  types: readonly PartType[];
  choices: Choices;
  names: readonly ExpressionName[];
  start: Draft;
  /** Names the edited workflow among the kept drafts. */
  page: string;
  /** Why the edited workflow can't be found; saving creates it again. */
  missing: string | undefined;
  view: BuilderView | undefined;
  result: Result;
  tried: Tried | undefined;
}

export function Builder(props: BuilderProps) {
  const { types, choices, names, start, page, missing, view: requestedView, result, tried } = props;
  const { errors, formError, submitted } = readResult(result);
  const { draft, change, undo, redo, canUndo, canRedo, isRestored, discard } = useDraft(
    submitted ? draftFromForm(submitted, types, readDraftJson(submitted.draft)) : start,
    page,
  );
  const hydrated = useHydrated();
  const [chosen, setChosen] = useState(requestedView);
  const view = useView(hydrated, chosen);
  const { problems: checked, onBlur } = useCheck(draft, result);
  const form = useRef<HTMLFormElement>(null);
  const saving = useNavigation().formData?.get("intent") === "save";
  const blocker = useUnsavedGuard(canUndo, discard);
  useEffect(() => {
    if (result) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [result]);
  const { name, description, model, ...rest } = draft;
  // After a reported conflict, the next save replaces the newer version.
  const { id, version, updatedAt } = start;
  const hidden = missing || errors.updatedAt ? { ...rest, id, version, updatedAt } : rest;
  const set = (field: "name" | "description" | "model", value: string) =>
    change((before) => ({ ...before, [field]: value }), field);
  const problems = checked
    ? { ...checked, ...(errors.name && !name.trim() && { name: errors.name }) }
    : errors;
  const context = { draft, change, types, choices, names, problems, tried, sendsFields: view === "list" };
  return (
    <BuilderProvider value={context}>
      <Form
        ref={form}
        method="post"
        noValidate
        data-takes-keys
        data-keeps-draft
        onBlur={onBlur}
        className="flex flex-col gap-4"
      >
        <input type="hidden" name="draft" value={JSON.stringify(hidden)} />
        <input type="hidden" name="view" value={view} />
        <Toolbar
          view={view}
          hydrated={hydrated}
          onView={setChosen}
          saving={saving}
          onClear={() => change(clearDraft)}
        />
        {isRestored && (
          <Notice title="Unsaved changes restored">
            <p>Save or discard what you changed earlier.</p>
            <Button type="button" size="sm" className="mt-2" onClick={discard}>
              Discard
            </Button>
          </Notice>
        )}
        {missing && <Notice kind="warning">{`${missing} Saving creates it again.`}</Notice>}
        {formError && (
          <Notice
            kind="danger"
            title={draft.id ? "Failed to save workflow" : failureSentence(FAILURES.createWorkflow, formError)}
          >
            {draft.id ? formError : undefined}
          </Notice>
        )}
        <Card>
          <div className="grid gap-4 lg:grid-cols-[1fr_16rem_1.5fr]">
            <Field label="Workflow name" name="name" error={problems.name?.[0]} required>
              <Input
                value={name}
                autoComplete="off"
                placeholder="Nine o'clock digest"
                onChange={({ target }) => set("name", target.value)}
              />
            </Field>
            <Field label="Model" name="model" hint="Choose the model for AI steps without their own">
              <ModelPicker
                models={choices.model}
                value={model}
                onChange={({ target }) => set("model", target.value)}
              />
            </Field>
            <Field label="Description (optional)" name="description" error={problems.description?.[0]}>
              <Textarea
                rows={2}
                value={description}
                onChange={({ target }) => set("description", target.value)}
              />
            </Field>
          </div>
        </Card>
        {view === "canvas" ? (
          <Suspense
            fallback={
              <div className="flex h-[40rem] items-center justify-center rounded-lg border border-line bg-sunken">
                <Spinner />
              </div>
            }
          >
            <Canvas undo={undo} redo={redo} canUndo={canUndo} canRedo={canRedo} refused={result} />
          </Suspense>
        ) : (
          <Lists />
        )}
        {blocker.state === "blocked" && (
          <DiscardQuestion
            question="Discard your changes to this workflow?"
            blocker={blocker}
            className="fixed"
          />
        )}
      </Form>
    </BuilderProvider>
  );
}

/** Asks before unsaved changes are lost. */
function useUnsavedGuard(isChanged: boolean, discard: () => void): Blocker {
  const blocker = useLeaveGuard(useMemo(() => ({ isUnsaved: () => isChanged }), [isChanged]));
  if (blocker.state !== "blocked") return blocker;
  const proceed = () => {
    discard();
    blocker.proceed();
  };
  return { ...blocker, proceed };
}

/** The list without JavaScript and on narrow screens. */
function useView(hydrated: boolean, chosen: BuilderView | undefined): BuilderView {
  const [wide, setWide] = useState(false);
  useEffect(() => setWide(window.matchMedia(WIDE).matches), []);
  if (!hydrated) return "list";
  return chosen ?? (wide ? "canvas" : "list");
}

/** Enter would save the unfinished workflow. */
function ignoreEnter(event: KeyboardEvent) {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
}

function Lists() {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles keys that its fields ignore.
    <div className="flex flex-col gap-6" onKeyDown={ignoreEnter}>
      <ExpressionHelp />
      <PartList kind="triggers" />
      <PartList kind="steps" />
      <ConnectionRows />
      <TryStep />
    </div>
  );
}

const VIEWS = [
  { name: "canvas", label: "Canvas", icon: Waypoints },
  { name: "list", label: "List", icon: List },
] as const;

interface ToolbarProps {
  view: BuilderView;
  hydrated: boolean;
  saving: boolean;
  onView(view: BuilderView): void;
  onClear(): void;
}

function Toolbar({ view, hydrated, saving, onView, onClear }: ToolbarProps) {
  return (
    <div className="sticky short:static top-(--header) z-20 -mx-2 flex flex-wrap items-center gap-2 bg-canvas px-2 py-2">
      <Button
        variant="primary"
        name="intent"
        value="save"
        pending={saving}
        icon={<Save aria-hidden="true" />}
      >
        Save Workflow
      </Button>
      <Button
        name="op"
        value="clear"
        icon={<Eraser aria-hidden="true" />}
        onClick={(event) => {
          event.preventDefault();
          onClear();
        }}
      >
        Clear
      </Button>
      {hydrated && (
        <fieldset className="ml-auto flex rounded-md border border-line bg-sunken p-0.5">
          <legend className="sr-only">View</legend>
          {VIEWS.map(({ name, label, icon: Icon }) => (
            <Button
              key={name}
              type="button"
              size="sm"
              variant={view === name ? "secondary" : "ghost"}
              aria-pressed={view === name}
              icon={<Icon aria-hidden="true" />}
              onClick={() => onView(name)}
            >
              {label}
            </Button>
          ))}
        </fieldset>
      )}
    </div>
  );
}

function ExpressionHelp() {
  const { draft, names, types } = useBuilder();
  return (
    <details className="group/names rounded-lg border border-line bg-surface px-4 py-2">
      <summary className="flex min-h-8 items-center gap-1.5 text-sm pointer-coarse:min-h-11">
        <ChevronRight aria-hidden="true" className="size-4 group-open/names:rotate-90" />
        Names for expressions
      </summary>
      <p className="mt-1 mb-2 text-muted text-xs">
        Write <code>{"{{ … }}"}</code> in a text to insert a value, such as{" "}
        <code>{"{{ steps.search_documents_1.text }}"}</code>. Conditions are expressions without braces.
      </p>
      <dl className="grid gap-x-4 gap-y-1 pb-2 text-xs sm:grid-cols-[14rem_1fr]">
        {namesFor(draft, "", names, types).map(({ name, description }) => (
          <div key={name} className="contents">
            <dt className="font-mono">{name}</dt>
            <dd className="text-muted">{description}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
