import { useRef } from "react";
import { Dialog } from "~/ui/dialog";
import { readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import { Tabs } from "~/ui/tabs";
import type { IngestTab, ListView } from "../../screens/rag-screen.schema";
import { ragAddress } from "../addresses";
import { type FileChoice, IngestFiles } from "./ingest-files";
import { IngestText } from "./ingest-text";
import { IngestUrl } from "./ingest-url";
import type { IngestFormProps } from "./target-fields";

interface IngestDialogProps extends Pick<IngestFormProps, "categories" | "colleagues" | "result"> {
  view: ListView;
  tab: IngestTab;
  choice: FileChoice;
}

const TABS = { text: "Text", url: "URL", file: "File" } as const;

export function IngestDialog(props: IngestDialogProps) {
  const { view, tab, choice, result, categories, colleagues } = props;
  const { errors, formError, submitted } = readResult(result);
  const box = useRef<HTMLDivElement>(null);
  const drafts = useRef<Partial<Record<IngestTab, Record<string, unknown>>>>({});
  const saveDraft = () => {
    const form = box.current?.querySelector("form");
    if (form) drafts.current[tab] = valuesOf(form);
  };
  const form: IngestFormProps = {
    categories,
    colleagues,
    closeTo: ragAddress(view),
    // Later input takes precedence over what was sent.
    submitted: drafts.current[tab] ?? submitted ?? {},
    errors,
    result,
  };
  return (
    <Dialog
      title="Ingest Document"
      description="Once processed, it can be searched and cited in chat."
      closeTo={form.closeTo}
      size="lg"
    >
      <div ref={box} onClickCapture={saveDraft} className="flex flex-col gap-4 sm:min-h-[38.25rem]">
        <Tabs
          label="Source"
          tabs={Object.entries(TABS).map(([name, label]) => ({
            label,
            to: ragAddress(view, { dialog: "ingest", tab: name }),
            active: name === tab,
          }))}
        />
        {formError && (
          <Notice kind="danger" title="Ingestion Failed">
            Failed to ingest document. Please try again. {formError}
          </Notice>
        )}
        {tab === "text" && <IngestText {...form} />}
        {tab === "url" && <IngestUrl {...form} />}
        {tab === "file" && (
          <IngestFiles
            {...form}
            submitted={drafts.current.file ?? submitted ?? byName(choice.refused?.fields ?? [])}
            choice={choice}
          />
        )}
      </div>
    </Dialog>
  );
}

const valuesOf = (form: HTMLFormElement) =>
  byName(
    [...new FormData(form)].flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );

function byName(fields: readonly [string, string][]): Record<string, unknown> {
  const values: Record<string, string[]> = {};
  for (const [name, value] of fields) values[name] = [...(values[name] ?? []), value];
  return Object.fromEntries(
    Object.entries(values).map(([name, list]) => [name, list.length === 1 ? list[0] : list]),
  );
}
