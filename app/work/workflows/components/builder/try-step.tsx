import { useNavigation } from "@remix-run/react";
import { ListStart, Pin, PinOff, Play } from "lucide-react";
import { useEffect, useState } from "react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { useHydrated } from "~/ui/hydration";
import { Field, Select, Textarea } from "~/ui/input";
import { lazyPart } from "~/ui/lazy-part";
import { Notice } from "~/ui/notice";
import type { Tried } from "../../builder.schema";
import { findPartType, partTitle } from "../../builder-draft.shared";
import { useBuilder } from "./builder-context";

const output = lazyPart(() => import("../json-value").then((module) => module.JsonValue), "#tried-output");

/** Adds the tried step's output to the sample, for the next step. */
function withOutput({ stepId, sample, tried }: Tried): string {
  if (!tried.ok) return sample.steps;
  try {
    const before: unknown = sample.steps.trim() === "" ? {} : JSON.parse(sample.steps);
    return JSON.stringify({ ...(before as object), [stepId]: tried.output ?? null }, null, 2);
  } catch {
    return sample.steps;
  }
}

const NOTES = {
  acts: "The step runs for real, with your rights: it may send, write or call something outside. It is not saved as a run.",
  harmless: "The step runs with your rights. It is not saved as a run.",
  shown: "Steps that control the run only show what they would do: nothing is sent, run or waited for.",
};

/** With a choice of steps if none is given. */
export function TryStep({ stepId }: { stepId?: string }) {
  const { draft, types, tried, samples } = useBuilder();
  const [trigger, setTrigger] = useState(tried?.sample.trigger ?? "");
  const [steps, setSteps] = useState(tried ? withOutput(tried) : "");
  const [chosen, setChosen] = useState(tried?.stepId ?? "");
  const [isOpen, setOpen] = useState(false);
  const hydrated = useHydrated();
  const pending = useNavigation().formData?.get("intent");
  const formAction = hydrated ? undefined : "#try-step";
  useEffect(() => {
    if (tried) setSteps(withOutput(tried));
  }, [tried]);
  const typeOf = (id: string) =>
    findPartType(types, "steps", draft.steps.find((step) => step.id === id)?.type ?? "");
  const offered = draft.steps.filter(({ id }) => typeOf(id)?.canTry);
  const id = stepId ?? (offered.some((step) => step.id === chosen) ? chosen : (offered[0]?.id ?? ""));
  const canTry = typeOf(id)?.canTry;
  if (!canTry) return null;
  const isShown = tried !== undefined && (stepId === undefined || tried.stepId === stepId);
  const pinned = stepId === undefined ? Object.values(samples.steps) : [samples.steps[stepId]];
  return (
    <details
      id="try-step"
      data-kept
      open={isOpen || isShown || pinned.some((sample) => sample?.isPinned)}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="scroll-mt-20 rounded-lg border border-line bg-surface p-4 shadow-card"
    >
      <summary className="disclosure min-h-6 cursor-pointer font-medium">
        {stepId === undefined ? "Try a step" : "Try this step"}
      </summary>
      <div className="mt-4 flex flex-col gap-4">
        {stepId === undefined ? (
          <Field label="Step to try" name="tryStep">
            <Select value={id} onChange={({ target }) => setChosen(target.value)}>
              {offered.map((step) => (
                <option key={step.id} value={step.id}>
                  {partTitle(step, typeOf(step.id))} ({step.id})
                </option>
              ))}
            </Select>
          </Field>
        ) : (
          <input type="hidden" name="tryStep" value={id} />
        )}
        <Sample
          label="Trigger data"
          name="sampleTrigger"
          hint={`Enter JSON, which is "trigger" in expressions. Leave blank ${samples.ranAt === undefined ? "for none" : "for the last run's"}.`}
          value={trigger}
          onChange={setTrigger}
        />
        <Sample
          label="Earlier outputs"
          name="sampleSteps"
          hint={`Enter a JSON object with the outputs of earlier steps by their ids. ${samples.ranAt === undefined ? "A step that succeeds adds its own." : "Pinned outputs and those of the last run are used for steps that it doesn't name."}`}
          value={steps}
          onChange={setSteps}
        />
        <p className="text-muted text-xs">
          {stepId === undefined ? `${NOTES.acts} ${NOTES.shown}` : NOTES[canTry]}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button
            name="intent"
            value="try"
            formAction={formAction}
            pending={pending === "try"}
            icon={<Play aria-hidden="true" />}
          >
            Try Step
          </Button>
          <Button
            name="intent"
            value="try-up-to"
            formAction={formAction}
            pending={pending === "try-up-to"}
            icon={<ListStart aria-hidden="true" />}
          >
            Run up to Here
          </Button>
          <PinButtons id={stepId} formAction={formAction} />
        </div>
        <p className="text-muted text-xs">
          Run up to Here runs the steps before this one, too, and nothing waits: pinned outputs take the place
          of their steps, loops take their first 3 rounds, and Ask a Person counts as approved.
        </p>
        {isShown && <Outcome {...tried} />}
      </div>
    </details>
  );
}

/** For the step to which the form belongs, or the chosen one: then both are offered. */
function PinButtons({ id, formAction }: { id: string | undefined; formAction: string | undefined }) {
  const { draft, samples } = useBuilder();
  const own = id === undefined ? Object.values(samples.steps) : [samples.steps[id]].filter(Boolean);
  if (draft.id === undefined) return null;
  return (
    <>
      {own.some((sample) => !sample?.isPinned) && (
        <Button name="intent" value="pin" formAction={formAction} icon={<Pin aria-hidden="true" />}>
          Pin Last Output
        </Button>
      )}
      {own.some((sample) => sample?.isPinned) && (
        <Button name="intent" value="unpin" formAction={formAction} icon={<PinOff aria-hidden="true" />}>
          Unpin Output
        </Button>
      )}
    </>
  );
}

interface SampleProps {
  label: string;
  name: string;
  hint: string;
  value: string;
  onChange(value: string): void;
}

function Sample({ value, onChange, ...field }: SampleProps) {
  return (
    <Field {...field}>
      <Textarea
        rows={3}
        className="font-mono text-xs"
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}

function Outcome({ stepId, tried, earlier = [] }: Tried) {
  const { ok, error, output: value, branch, log = [], tookMs, inputTokens, outputTokens } = tried;
  const facts = [
    tookMs === undefined ? null : `${tookMs} ms`,
    branch ? `Branch: ${branch}` : null,
    inputTokens || outputTokens ? `${inputTokens ?? "—"} → ${outputTokens ?? "—"} tokens` : null,
  ].filter(Boolean);
  return (
    <section aria-label="Result" aria-live="polite" className="flex flex-col gap-2 border-line border-t pt-4">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={ok ? "success" : "danger"}>{ok ? "Succeeded" : "Failed"}</Badge>
        <span className="font-mono text-muted text-xs">{stepId}</span>
        <span className="text-muted text-xs">{facts.join(" · ")}</span>
      </p>
      {earlier.length > 0 && (
        <p className="text-muted text-xs">
          Before it:{" "}
          {earlier
            .map((one) => `${one.stepId} (${one.isPinned ? "pinned" : one.ok ? "succeeded" : "failed"})`)
            .join(", ")}
        </p>
      )}
      {error && <Notice kind="danger">{error}</Notice>}
      {ok && (
        <div id="tried-output">
          <output.Part label="Output" value={value ?? null} />
        </div>
      )}
      {log.length > 0 && (
        <ul aria-label="Log" className="font-mono text-xs">
          {log.map(({ level, message }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a log doesn't change.
            <li key={index} className="whitespace-pre-wrap break-words">
              <span className="text-muted">{level}</span> {message}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
