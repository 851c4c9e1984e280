import { FormDialog } from "~/ui/form-dialog";
import { type Result, readResult } from "~/ui/form-result";
import { Field, Select } from "~/ui/input";
import { RadioCard } from "~/ui/radio-card";
import type { DocumentDetail, Reader } from "../../documents.schema";
import type { EncodingChoice } from "../../screens/document-screen.schema";
import { ReadersChoice } from "../readers-choice";
import { schedulesWith } from "./schedule";

interface DialogProps {
  document: DocumentDetail;
  closeTo: string;
  result: Result;
}

interface AccessDialogProps extends DialogProps {
  colleagues: Reader[];
}

export function AccessDialog({ document, colleagues, closeTo, result }: AccessDialogProps) {
  const { errors, submitted } = readResult(result);
  const visibility = submitted?.visibility ?? document.visibility;
  const chosen = submitted ? [submitted.readers ?? []].flat() : (document.readers ?? []).map(({ id }) => id);
  const others = colleagues.filter(({ id }) => id !== document.createdBy.id);
  return (
    <FormDialog
      title="Visibility"
      description="Choose who can find this document in lists, search and chat"
      closeTo={closeTo}
      result={result}
      form={{ className: "group/access" }}
      intent="access"
      label="Save Changes"
    >
      <RadioCard
        name="visibility"
        value="organisation"
        label="Everyone"
        hint="Everyone in the organization"
        defaultChecked={visibility !== "named"}
      />
      <RadioCard
        name="visibility"
        value="named"
        label="Specific people"
        hint={`${document.createdBy.name}, who added it, and the people selected below. Other admins have no access.`}
        defaultChecked={visibility === "named"}
      />
      <fieldset className="hidden group-has-[[value=named]:checked]/access:block">
        <legend className="mb-1 font-medium text-ink text-sm">People and groups with access</legend>
        <ReadersChoice colleagues={others} chosen={chosen} errors={errors.readers} />
      </fieldset>
    </FormDialog>
  );
}

interface EncodingDialogProps extends DialogProps {
  encodings: EncodingChoice[];
}

export function EncodingDialog({ document, encodings, closeTo, result }: EncodingDialogProps) {
  const { errors, submitted } = readResult(result);
  const chosen = submitted?.encoding ?? document.version?.facts.encoding;
  return (
    <FormDialog
      title="Encoding"
      description="Choose the one in which the text reads right. The original is read again as a new version."
      closeTo={closeTo}
      result={result}
      intent="encoding"
      label="Read Again"
    >
      <fieldset className="grid gap-2">
        <legend className="sr-only">Encoding</legend>
        {encodings.map(({ label, name, example }) => (
          <RadioCard
            key={label}
            name="encoding"
            value={label}
            label={name}
            hint={<bdi className="wrap-anywhere">{example}</bdi>}
            defaultChecked={label === chosen}
          />
        ))}
      </fieldset>
      {errors.encoding && <p className="mt-2 text-danger-ink text-sm">{errors.encoding}</p>}
    </FormDialog>
  );
}

export function ScheduleDialog({ document, closeTo, result }: DialogProps) {
  const { errors } = readResult(result);
  return (
    <FormDialog
      title="Refresh Schedule"
      description={`When ${document.metadata.source} changes, its content is replaced.`}
      closeTo={closeTo}
      result={result}
      intent="schedule"
      label="Save Changes"
    >
      <Field label="Frequency" name="refreshEvery" error={errors.refreshEvery}>
        <Select defaultValue={document.refreshEvery ?? 0}>
          {schedulesWith(document.refreshEvery).map(({ every, label }) => (
            <option key={every} value={every}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
    </FormDialog>
  );
}
