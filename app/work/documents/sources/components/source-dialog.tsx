import { Link } from "@remix-run/react";
import { Cloud, Folder, GitBranch, HardDrive } from "lucide-react";
import type { ReactNode } from "react";
import type { FieldSpec, Option } from "~/core/field.schema";
import { Dialog } from "~/ui/dialog";
import { FormDialog } from "~/ui/form-dialog";
import { FormFields } from "~/ui/form-fields";
import { type Result, readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import { TargetFields } from "../../components/ingestion/target-fields";
import type { Reader } from "../../documents.schema";
import { SCHEDULES } from "../../ingestion/ingest.shared";
import type { Source } from "../source.schema";
import {
  KEY_LABELS,
  KIND_LABELS,
  PLACE_FIELDS,
  SOURCE_DEFAULTS,
  SOURCE_KINDS,
  SOURCE_LIMITS,
  SOURCES,
  type SourceKind,
} from "../source-fields.shared";

const ICONS: Readonly<Record<SourceKind, ReactNode>> = {
  folder: <Folder aria-hidden="true" />,
  s3: <HardDrive aria-hidden="true" />,
  git: <GitBranch aria-hidden="true" />,
  webdav: <Cloud aria-hidden="true" />,
};

/** Choices that the server offers for the form. */
interface SourceChoices {
  categories: readonly string[];
  colleagues: readonly Reader[];
  folders: readonly string[];
  keys: readonly Option[];
}

/** Asks where the documents live. */
export function KindDialog({ closeTo }: { closeTo: string }) {
  return (
    <Dialog title="New Source" description="Where do the documents live?" closeTo={closeTo}>
      <ul className="grid gap-2 sm:grid-cols-2">
        {SOURCE_KINDS.map((kind) => (
          <li key={kind}>
            <Link
              to={`${SOURCES}?dialog=new&kind=${kind}`}
              preventScrollReset
              className="flex h-full min-h-11 gap-3 rounded-md border border-line p-3 hover:bg-hover [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted"
            >
              {ICONS[kind]}
              <span>
                <span className="block font-medium">{KIND_LABELS[kind].label}</span>
                <span className="text-muted text-xs">{KIND_LABELS[kind].hint}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

const number = (
  label: string,
  max: number,
  min: number,
  more: Partial<FieldSpec> & { unit?: string },
): FieldSpec => {
  const { unit, ...rest } = more;
  return { label, ...rest, control: { kind: "number", min, max, ...(unit ? { unit } : {}) } };
};

function placeFields(kind: SourceKind, { folders, keys }: SourceChoices): Record<string, FieldSpec> {
  const label = KEY_LABELS[kind];
  const options = folders.map((value) => ({ value, label: value }));
  return {
    name: { label: "Name", required: true, control: { kind: "text", maxLength: 80 } },
    ...PLACE_FIELDS[kind],
    ...(kind === "folder" ? { folder: { label: "Folder", control: { kind: "select", options } } } : {}),
    ...(label
      ? {
          keyId: {
            label,
            hint: "A key reference of kind Document source, added under Settings › API Keys",
            control: { kind: "select", options: [{ value: "", label: "None" }, ...keys] },
          },
        }
      : {}),
  };
}

const SYNC_FIELDS: Readonly<Record<string, FieldSpec>> = {
  sync: {
    label: "Sync",
    control: { kind: "select", options: SCHEDULES.map(({ name, label }) => ({ value: name, label })) },
  },
  graceDays: number("Keep documents of removed files for", SOURCE_LIMITS.graceDays, 0, { unit: "days" }),
  maxFiles: number("Maximum files", SOURCE_LIMITS.maxFiles, 1, {}),
  maxMb: number("Maximum size of all files", SOURCE_LIMITS.maxMb, 1, { unit: "MB" }),
};

interface SourceDialogProps {
  kind: SourceKind;
  source?: Source | undefined;
  choices: SourceChoices;
  closeTo: string;
  result: Result;
}

export function SourceDialog({ kind, source, choices, closeTo, result }: SourceDialogProps) {
  const { errors, submitted } = readResult(result);
  const values: Record<string, unknown> = { ...(source ?? SOURCE_DEFAULTS) };
  const { label } = KIND_LABELS[kind];
  return (
    <FormDialog
      title={source ? "Edit Source" : `New Source: ${label}`}
      size="lg"
      closeTo={closeTo}
      result={result}
      hidden={{ kind }}
      above={
        kind === "folder" &&
        choices.folders.length === 0 && (
          <Notice className="mb-4">
            No folder is offered yet. An operator names those of the server in the variable SOURCE_FOLDERS.
          </Notice>
        )
      }
      intent={source ? "save" : "create"}
      label={source ? "Save Changes" : "Add Source"}
    >
      <FormFields fields={placeFields(kind, choices)} values={values} result={result} columns />
      <TargetFields
        categories={choices.categories}
        colleagues={choices.colleagues}
        submitted={submitted ?? values}
        errors={errors}
      />
      <FormFields fields={SYNC_FIELDS} values={values} result={result} columns />
    </FormDialog>
  );
}
