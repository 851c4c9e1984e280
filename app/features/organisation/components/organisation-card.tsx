import { Form } from "@remix-run/react";
import { useRef } from "react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { useFocusFirstError } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { type Result, readResult } from "~/ui/form-result";
import { Input } from "~/ui/input";
import { Notice } from "~/ui/notice";
import type { Organisation } from "../organisation.schema";

interface OrganisationCardProps {
  organisation: Organisation;
  /** IANA names to choose from. */
  timeZones: readonly string[];
  /** Why the reader may not change it. */
  refusal: string | null;
  /** What the server said to the last try. */
  result: Result;
}

/** The team's title and time zone. */
export function OrganisationCard({ organisation, timeZones, refusal, result }: OrganisationCardProps) {
  const form = useRef<HTMLFormElement>(null);
  const { errors, problem, sent } = readResult(result);
  useFocusFirstError(form, result);
  return (
    <Card id="organization" title="Organization" description="Set the team title and time zone">
      <Form ref={form} method="post" preventScrollReset noValidate className="flex flex-col gap-4">
        {problem && !errors.teamTitle && !errors.timeZone && <Notice kind="danger">{problem}</Notice>}
        <input type="hidden" name="version" value={organisation.version} />
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Field label="Team title" name="teamTitle" error={errors.teamTitle}>
            <Input
              key={organisation.teamTitle}
              defaultValue={String(sent?.teamTitle ?? organisation.teamTitle)}
              maxLength={60}
              disabled={refusal !== null}
            />
          </Field>
          <Field
            label="Time zone"
            name="timeZone"
            error={errors.timeZone}
            hint="Used for daily figures, dated titles and schedules. Leave blank for the server's."
          >
            <Input
              key={organisation.timeZone}
              defaultValue={String(sent?.timeZone ?? organisation.timeZone)}
              list="time-zones"
              autoComplete="off"
              disabled={refusal !== null}
            />
          </Field>
          <datalist id="time-zones">
            {timeZones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </div>
        <p className="flex items-center gap-3">
          <Button name="intent" value="organisation" disabled={refusal !== null}>
            Save Changes
          </Button>
          {refusal && <span className="text-muted text-xs">{refusal}</span>}
        </p>
      </Form>
    </Card>
  );
}
