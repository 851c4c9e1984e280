import { type Blocker, Form, useNavigation } from "@remix-run/react";
import { ChevronRight, Eraser } from "lucide-react";
import {
  type KeyboardEvent,
  lazy,
  type RefObject,
  Suspense,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button, Spinner } from "~/ui/button";
import { Card } from "~/ui/card";
import { FAILURES, failureSentence } from "~/ui/failures";
import { type Result, readResult } from "~/ui/form-result";
import { DiscardQuestion } from "~/ui/guarded-forms";
import { useHydrated } from "~/ui/hydration";
import { lazyPart } from "~/ui/lazy-part";
import { useLeaveGuard } from "~/ui/leave-guard";
import { Notice } from "~/ui/notice";
import { PageHeader } from "~/ui/page-header";
import { PageTabs } from "~/ui/tabs";
import type {
  BuilderView,
  Choices,
  Draft,
  DraftFacts,
  ExpressionName,
  PartType,
  ShownSamples,
  Tried,
} from "../../builder.schema";
import { clearDraft } from "../../builder-draft.shared";
import { draftFromForm, readDraftJson } from "../../builder-form.shared";
import type { RunTrace } from "../../run-drawing.shared";
import { workflowTabs } from "../workflow-tabs";
import { BuilderBar, DescriptionField, ModelField, NameField, RunStrip } from "./builder-bar";
import { BuilderProvider, typedProblems, useBuilder } from "./builder-context";
import { namesFor } from "./completion";
import { tryStep } from "./lazy-forms";
import { PartList } from "./part-list";
import { type ChangeDraft, useCheck, useDraft } from "./use-draft";

const Canvas = lazy(() => import("./canvas"));
const connections = lazyPart(
  () => import("./connection-rows").then((module) => module.ConnectionRows),
  "#connections",
);
/** Minimum width of the canvas with palette and form. */
const WIDE = "(min-width: 64rem)";

interface BuilderProps {
  types: readonly PartType[];
  choices: Choices;
  names: readonly ExpressionName[];
  facts: DraftFacts;
  samples: ShownSamples;
  start: Draft;
  /** Names the edited workflow among the kept drafts. */
  page: string;
  /** Undefined for a workflow that isn't saved yet. */
  isEnabled: boolean | undefined;
  /** The run that is drawn on the graph. */
  run: RunTrace | undefined;
  /** Why the edited workflow can't be found; saving creates it again. */
  missing: string | undefined;
  view: BuilderView | undefined;
  result: Result;
  tried: Tried | undefined;
}

export function Builder(props: BuilderProps) {
  const {
    types,
    choices,
    names,
    samples,
    start,
    page,
    run,
    missing,
    view: requestedView,
    result,
    tried,
  } = props;
  const { errors, formError, submitted } = readResult(result);
  const edited = useDraft(
    submitted ? draftFromForm(submitted, types, readDraftJson(submitted.draft)) : start,
    page,
    start,
  );
  const { draft, change, undo, redo, isChanged, discard } = edited;
  const hydrated = useHydrated();
  const [chosen, setChosen] = useState(requestedView);
  const view = useView(hydrated, chosen);
  const { problems: checked, facts = props.facts, onBlur } = useCheck(draft, result);
  const form = useRef<HTMLFormElement>(null);
  const barBox = useRef<HTMLDivElement>(null);
  const pending = useNavigation().formData?.get("intent");
  const blocker = useUnsavedGuard(isChanged, discard);
  useEffect(() => {
    if (result) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [result]);
  useUndoKeys(undo, redo);
  useTypedEarly(form, draft, change);
  const { name, description, model, ...rest } = draft;
  // After a reported conflict, the next save replaces the newer version.
  const { id, version, updatedAt } = start;
  const hidden = missing || errors.updatedAt ? { ...rest, id, version, updatedAt } : rest;
  const found = checked ? { ...checked, ...(errors.name && !name.trim() && { name: errors.name }) } : errors;
  const isTried = result !== undefined || tried !== undefined;
  const problems = isTried ? found : typedProblems(draft, found, edited.touched);
  const sendsFields = view === "list";
  const context = { draft, change, types, choices, names, facts, samples, problems, tried, run, sendsFields };
  const isCanvas = view === "canvas";
  const notices = (
    <>
      {edited.isRestored && (
        <Notice title="Unsaved changes restored">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-2">
            Save or discard what you changed earlier.
            <Button type="button" size="sm" onClick={discard}>
              Discard
            </Button>
          </p>
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
      {run && <RunStrip run={run} />}
    </>
  );
  const bar = (
    <BuilderBar
      {...edited}
      view={view}
      hydrated={hydrated}
      isEnabled={props.isEnabled}
      onView={setChosen}
      pending={pending === "save" || pending === "run" ? pending : undefined}
    >
      {notices}
    </BuilderBar>
  );
  return (
    <BuilderProvider value={context}>
      {!isCanvas && (
        <>
          <PageHeader
            title="Workflows"
            subtitle="Build automations that run manually, on a schedule or by webhook"
          />
          <PageTabs label="Workflows" tabs={workflowTabs("builder", true)} />
        </>
      )}
      <Form
        ref={form}
        method="post"
        noValidate
        data-takes-keys
        data-keeps-draft
        {...(isCanvas && { "data-bleed": "" })}
        onBlur={onBlur}
        onKeyDown={ignoreEnter}
        onSubmit={edited.onSend}
        className={
          isCanvas ? "h-[max(28rem,calc(100dvh-var(--header)-var(--bar,0px)))]" : "flex flex-col gap-4"
        }
      >
        <input type="hidden" name="draft" value={JSON.stringify(hidden)} />
        <input type="hidden" name="view" value={view} />
        {isCanvas ? (
          <div className="relative isolate grid h-full grid-cols-[auto_minmax(0,1fr)_auto] grid-rows-[auto_minmax(0,1fr)] overflow-hidden bg-sunken">
            {/* Not in the canvas, whose code comes later: its fields would be replaced while somebody types. */}
            <div ref={barBox} className="relative z-20 col-span-3 col-start-1 row-start-1">
              {bar}
            </div>
            <Suspense
              fallback={
                <div className="col-span-3 row-start-2 place-self-center">
                  <Spinner />
                </div>
              }
            >
              <Canvas {...edited} bar={barBox} refused={result} />
            </Suspense>
          </div>
        ) : (
          <>
            {bar}
            <Card>
              <div className="grid gap-4 lg:grid-cols-[1fr_16rem_1.5fr]">
                <NameField />
                <ModelField />
                <DescriptionField />
              </div>
            </Card>
            <Lists />
          </>
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

/** Takes over what was typed before the page's script began: the canvas has fields of its own. */
function useTypedEarly(form: RefObject<HTMLFormElement>, draft: Draft, change: ChangeDraft): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page's script takes over.
  useEffect(() => {
    for (const name of ["name", "description"] as const) {
      const field = form.current?.elements.namedItem(name);
      if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) continue;
      const { value, defaultValue } = field;
      if (value !== defaultValue && value !== draft[name])
        change((before) => ({ ...before, [name]: value }), name);
    }
  }, []);
}

/** The list without JavaScript and on narrow screens. */
function useView(hydrated: boolean, chosen: BuilderView | undefined): BuilderView {
  const [wide] = useState(() => typeof window !== "undefined" && window.matchMedia(WIDE).matches);
  if (!hydrated) return "list";
  return chosen ?? (wide ? "canvas" : "list");
}

/** Enter would save the unfinished workflow. */
function ignoreEnter(event: KeyboardEvent) {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
}

/** Ctrl+Z and Ctrl+Shift+Z but in text fields, which have their own: after a press on the canvas the page has the focus. */
function useUndoKeys(undo: () => void, redo: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, shiftKey } = event;
      if (!(ctrlKey || metaKey) || key.toLowerCase() !== "z" || !(target instanceof Element)) return;
      if (target.closest("input, textarea, select, dialog")) return;
      event.preventDefault();
      if (shiftKey) redo();
      else undo();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
}

function Lists() {
  const { draft, change } = useBuilder();
  return (
    <div className="flex flex-col gap-6">
      <ExpressionHelp />
      <PartList kind="triggers" />
      <PartList kind="steps" />
      {draft.steps.length > 0 && <connections.Part />}
      {draft.steps.length > 0 && <tryStep.Part />}
      <div>
        <Button
          name="op"
          value="clear"
          icon={<Eraser aria-hidden="true" />}
          onClick={(event) => {
            event.preventDefault();
            change(clearDraft);
          }}
        >
          Clear
        </Button>
      </div>
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
      <dl className="grid grid-cols-1 gap-x-4 gap-y-1 pb-2 text-xs sm:grid-cols-[14rem_minmax(0,1fr)]">
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
