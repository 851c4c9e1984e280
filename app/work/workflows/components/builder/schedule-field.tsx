import { useState } from "react";
import { Checkbox } from "~/ui/choice";
import { useHydrated } from "~/ui/hydration";
import { Field, Input, Select } from "~/ui/input";
import { changePart } from "../../builder-draft.shared";
import {
  choiceOf,
  choiceSentence,
  cronOf,
  DEFAULT_CHOICE,
  MINUTE_STEPS,
  type Repeat,
  type ScheduleChoice,
  scheduleKey,
  scheduleLine,
  WEEKDAYS,
} from "../../schedule.shared";
import type { StepField } from "../../steps/step-type";
import { type PartProps, useBuilder, useFieldName } from "./builder-context";

const REPEAT_LABELS: Readonly<Record<Repeat, string>> = {
  minutes: "Every few minutes",
  hour: "Every hour",
  day: "Every day",
  weekdays: "Weekdays (Monday to Friday)",
  week: "On days of the week",
  month: "Every month",
};
const CUSTOM = "custom";

interface ScheduleFieldProps extends PartProps {
  field: StepField;
  problem: string | undefined;
}

/** Picks a schedule; the cron expression that it makes is under Edit. Without script all its fields are shown. */
export function ScheduleField({ kind, index, part, field, problem }: ScheduleFieldProps) {
  const { change } = useBuilder();
  const hydrated = useHydrated();
  const nameOf = useFieldName({ kind, index });
  const cron = typeof part.config[field.name] === "string" ? String(part.config[field.name]) : "";
  const [isCustom, setCustom] = useState(false);
  const known = choiceOf(cron);
  const choice = known ?? DEFAULT_CHOICE;
  const repeat = isCustom || !known ? CUSTOM : choice.repeat;
  const setCron = (value: string) =>
    change(
      (before) =>
        changePart(before, kind, index, { config: { ...before[kind][index]?.config, [field.name]: value } }),
      `${kind}.${part.id}.${field.name}`,
    );
  const set = (own: Partial<ScheduleChoice>) => setCron(cronOf({ ...choice, ...own }));
  const uses = (...repeats: string[]) => !hydrated || repeats.includes(repeat);
  return (
    <div data-schedule="" className="flex min-w-0 flex-col gap-4 @xl:col-span-2">
      <div className="grid items-start gap-4 @md:grid-cols-2">
        <Field label="Repeat" {...nameOf("schedule.repeat")}>
          <Select
            value={repeat}
            onChange={({ target }) => {
              setCustom(target.value === CUSTOM);
              if (target.value !== CUSTOM) set({ repeat: target.value as Repeat });
            }}
          >
            {Object.entries(REPEAT_LABELS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
            <option value={CUSTOM}>By a cron expression</option>
          </Select>
        </Field>
        {uses("minutes") && (
          <Field label="Minutes between runs" {...nameOf("schedule.every")}>
            <Select
              value={String(choice.every)}
              onChange={({ target }) => set({ every: Number(target.value) })}
            >
              {MINUTE_STEPS.map((minutes) => (
                <option key={minutes} value={minutes}>
                  {minutes}
                </option>
              ))}
            </Select>
          </Field>
        )}
        {uses("hour", "day", "weekdays", "week", "month") && (
          <Field
            label="Time"
            {...nameOf("schedule.at")}
            hint={uses("hour") ? "Every hour uses the minutes alone." : undefined}
          >
            <Input
              type="time"
              value={choice.at}
              onChange={({ target }) => {
                if (/^\d\d:\d\d$/.test(target.value)) set({ at: target.value });
              }}
            />
          </Field>
        )}
        {uses("month") && (
          <Field
            label="Day of the month"
            {...nameOf("schedule.day")}
            hint={choice.day > 28 ? "Months without this day are skipped." : undefined}
          >
            <Select value={String(choice.day)} onChange={({ target }) => set({ day: Number(target.value) })}>
              {Array.from({ length: 31 }, (_, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the days of a month.
                <option key={at} value={at + 1}>
                  {at + 1}
                </option>
              ))}
            </Select>
          </Field>
        )}
      </div>
      {uses("week") && (
        <Weekdays choice={choice} onChange={(weekdays) => set({ weekdays })} nameOf={nameOf} />
      )}
      <Sentence
        cron={cron}
        timeZone={String(part.config.timeZone ?? "")}
        isRefused={cron.trim() === "" || problem !== undefined}
      />
      <details open={!hydrated || repeat === CUSTOM || problem !== undefined || undefined}>
        <summary className="disclosure min-h-6 cursor-pointer text-muted text-sm pointer-coarse:min-h-11">
          Edit the cron expression
        </summary>
        <Field
          label={field.label}
          {...nameOf(`config.${field.name}`)}
          hint={field.hint}
          error={problem}
          className="mt-2"
        >
          <Input
            value={cron}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-xs"
            onChange={({ target }) => setCron(target.value)}
          />
        </Field>
      </details>
    </div>
  );
}

interface WeekdaysProps {
  choice: ScheduleChoice;
  onChange(weekdays: readonly number[]): void;
  nameOf: ReturnType<typeof useFieldName>;
}

/** Monday first. */
const ORDER = [1, 2, 3, 4, 5, 6, 0];

function Weekdays({ choice, onChange, nameOf }: WeekdaysProps) {
  const chosen = choice.repeat === "week" ? choice.weekdays : [];
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-ink text-sm">Days of the week</legend>
      <div className="flex flex-wrap gap-x-4">
        {ORDER.map((day) => (
          <Checkbox
            key={day}
            {...nameOf(`schedule.on${day}`)}
            checked={chosen.includes(day)}
            label={WEEKDAYS[day] ?? ""}
            onChange={({ target }) => {
              const others = chosen.filter((one) => one !== day);
              const next = target.checked ? [...others, day].sort((a, b) => a - b) : others;
              // A schedule needs a day.
              if (next.length > 0) onChange(next);
            }}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** The schedule in words with its next time, which the server knows. */
function Sentence({ cron, timeZone, isRefused }: { cron: string; timeZone: string; isRefused: boolean }) {
  const { facts, choices } = useBuilder();
  const choice = choiceOf(cron);
  const known = facts.schedules[scheduleKey(cron, timeZone)];
  const text =
    known ?? (choice && { sentence: choiceSentence(choice), timeZone: timeZone || choices.timeZone });
  return (
    <p role="status" className="text-ink">
      {text
        ? scheduleLine(text)
        : isRefused
          ? "This isn't a schedule yet."
          : "Leave the field to see its times."}
    </p>
  );
}
