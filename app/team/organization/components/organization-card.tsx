import { Form } from "@remix-run/react";
import { useRef } from "react";
import type { FieldSpec } from "~/core/field.schema";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { useFocusFirstError } from "~/ui/dialog";
import { FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import type { Organisation } from "../organization.schema";

interface OrganisationCardProps {
  organisation: Organisation;
  /** IANA names to choose from. */
  timeZones: readonly string[];
  refusal: string | null;
  result: Result;
}

const fieldsOf = (timeZones: readonly string[]): Record<string, FieldSpec> => ({
  teamTitle: { label: "Team title", control: { kind: "text", maxLength: 60 } },
  timeZone: {
    label: "Time zone",
    hint: "Enter the zone of daily figures, dated titles and schedules. Leave blank for the server's.",
    control: { kind: "text", maxLength: 64, suggestions: timeZones },
  },
});

export function OrganisationCard({ organisation, timeZones, refusal, result }: OrganisationCardProps) {
  const form = useRef<HTMLFormElement>(null);
  const { errors, formError } = readResult(result);
  useFocusFirstError(form, result);
  return (
    <Card id="organization" title="Organization" description="Set the team title and time zone">
      <Form ref={form} method="post" preventScrollReset noValidate className="flex flex-col gap-4">
        {formError && !errors.teamTitle && !errors.timeZone && <Notice kind="danger">{formError}</Notice>}
        <input type="hidden" name="version" value={organisation.version} />
        <fieldset key={`${organisation.teamTitle} ${organisation.timeZone}`} disabled={refusal !== null}>
          <FormFields columns fields={fieldsOf(timeZones)} values={organisation} result={result} />
        </fieldset>
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
