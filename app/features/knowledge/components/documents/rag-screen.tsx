import { useNavigate } from "@remix-run/react";
import { lazy, Suspense, useState } from "react";
import type { RagSettings } from "~/features/settings/settings.schema";
import type { Result } from "~/ui/form-result";
import { lazyDialog } from "~/ui/lazy-dialog";
import { lazyPart } from "~/ui/lazy-part";
import { Notice } from "~/ui/notice";
import { PageHeader } from "~/ui/page-header";
import { Tabs } from "~/ui/tabs";
import type { Reader } from "../../documents/document-view.schema";
import type { CollectionStats as Stats } from "../../documents/documents.schema";
import type { EmbeddingOffer } from "../../index/consent/consent.schema";
import type { RagStatus } from "../../index/indexes.schema";
import type { Batch, RecentBatch } from "../../ingestion/batches/batches.schema";
import type { DialogView, ListView, SearchOutcome, SearchView } from "../../screens/rag-screen.schema";
import { DropVeil } from "../ingestion/drop-veil";
import type { SentFiles } from "../ingestion/ingest-files";
import { LeftOutFiles } from "../ingestion/left-out-files";
import { addFiles, type Dropped, NOTHING_DROPPED, type PickedFile } from "../ingestion/picked-files";
import { type RefusedUpload, UnsentFiles } from "../ingestion/unsent-files";
import { useFileDrop } from "../ingestion/use-file-drop";
import type { SettingsChoices } from "../settings/in-effect";
import { SettingsHints } from "../settings/settings-hints";
import { ragAddress } from "./addresses";
import { DocumentGroups } from "./document-groups";
import type { Group } from "./group";
import { HeaderActions } from "./header-actions";
import { QuickActions } from "./quick-actions";
import { useEndedDocuments } from "./use-ended-documents";

const IngestDialog = lazyDialog(
  () => import("../ingestion/ingest-dialog").then((module) => module.IngestDialog),
  ({ view }) => ({ title: "Ingest Document", closeTo: ragAddress(view), size: "lg" }),
);
const SearchDialog = lazyDialog(
  () => import("../search/search-dialog").then((module) => module.SearchDialog),
  ({ view }) => ({ title: "Search documents", closeTo: ragAddress(view), size: "lg" }),
);
const recentBatches = lazyPart(
  () => import("../ingestion/unsettled-batches").then((module) => module.RecentBatches),
  `[aria-label="Recent uploads"]`,
);
const BatchPanel = lazy(() =>
  import("../ingestion/batch-panel").then((module) => ({ default: module.BatchPanel })),
);
const RagSettingsCard = lazy(() =>
  import("../settings/rag-settings-card").then((module) => ({ default: module.RagSettingsCard })),
);

interface RagScreenProps {
  groups: Group[];
  /** Ids of shown documents without embeddings. */
  withoutVectors: readonly string[];
  stats: Stats;
  batch: Batch | undefined;
  unsettled: RecentBatch[];
  view: ListView;
  open: DialogView;
  asked: SearchView;
  found: SearchOutcome | undefined;
  categories: string[];
  colleagues: Reader[];
  settings: RagSettings;
  version: number;
  status: RagStatus;
  choices: SettingsChoices;
  offer: EmbeddingOffer | null;
  /** Why the user can't add documents or change settings; undefined if they can. */
  refusals: { write: string | undefined; manage: string | undefined };
  result: Result;
  /** An upload refused as a whole, without JavaScript. */
  refusedUpload?: RefusedUpload | undefined;
}

export function RagScreen({ result, refusedUpload, ...props }: RagScreenProps) {
  const { view, open, categories, refusals } = props;
  const navigate = useNavigate();
  const [picked, setPicked] = useState<readonly PickedFile[]>([]);
  const mayWrite = refusals.write === undefined;
  const { groups, stats, batch, unsettled, status } = props;
  // A batch has its own panel.
  useEndedDocuments(props, view.batch !== "");
  const [notTaken, setNotTaken] = useState<Omit<Dropped, "files">>(NOTHING_DROPPED);
  const [sent, setSent] = useState<SentFiles>();
  const broken = sent?.broken;
  const onPick = (files: readonly PickedFile[]) => {
    setPicked(files);
    if (files.length === 0) setNotTaken(NOTHING_DROPPED);
  };
  const onSent = (files: SentFiles) => {
    onPick(files.unsent);
    // Later responses of the batch don't report skipped files again.
    setSent((before) =>
      before?.batch === files.batch
        ? {
            ...files,
            leftOut: [...before.leftOut, ...files.leftOut],
            retried: [...before.retried, ...files.retried],
          }
        : files,
    );
  };
  const take = ({ files, ...others }: Dropped) => {
    setPicked((there) => addFiles(there, files));
    setNotTaken(others);
  };
  const dropping = useFileDrop(mayWrite, (dropped) => {
    take(dropped);
    navigate(ragAddress(view, { dialog: "ingest", tab: "file" }), { preventScrollReset: true });
  });
  return (
    <>
      <PageHeader
        title="RAG & Memory"
        subtitle="Manage the documents that models can search and cite"
        actions={<HeaderActions view={view} refusal={refusals.write} />}
      />
      <Tabs
        label="RAG & Memory"
        tabs={[
          { label: "Documents", to: ragAddress(view, { panel: "" }), active: view.panel === "" },
          {
            label: "RAG & Embedding Settings",
            to: ragAddress(view, { panel: "settings" }),
            active: view.panel === "settings",
          },
        ]}
      />
      {view.panel === "settings" ? (
        <div className="mt-5 max-w-2xl">
          <Suspense>
            <RagSettingsCard
              settings={props.settings}
              version={props.version}
              status={status}
              choices={props.choices}
              offer={props.offer}
              refusal={refusals.manage}
              // While a dialog is open, its forms show the result.
              result={open.dialog ? undefined : result}
            />
          </Suspense>
        </div>
      ) : (
        <div className="mt-5 grid gap-4 xl:grid-cols-[minmax(0,1fr)_15rem]">
          <div className="flex min-w-0 flex-col gap-4">
            <SettingsHints view={view} settings={props.settings} status={status} offer={props.offer} />
            {broken && picked.length > 0 && (
              <UnsentFiles
                broken={broken}
                files={picked}
                view={view}
                onLeave={() => {
                  setSent(sent && { ...sent, broken: undefined });
                  onPick([]);
                }}
              />
            )}
            {sent && (
              <LeftOutFiles
                files={sent.leftOut}
                retried={sent.retried}
                onClose={() => setSent({ ...sent, leftOut: [], retried: [] })}
              />
            )}
            {batch && (
              <Suspense>
                <BatchPanel key={batch.id} batch={batch} view={view} />
              </Suspense>
            )}
            {view.batch && !batch && (
              <Notice>This upload no longer exists or isn't yours. Its documents are in the list.</Notice>
            )}
            {unsettled.length > 0 && <recentBatches.Part batches={unsettled} view={view} />}
            <DocumentGroups
              groups={groups}
              categories={categories}
              view={view}
              stats={stats}
              mayWrite={mayWrite}
            />
          </div>
          <div className="min-w-0">
            <QuickActions stats={stats} view={view} mayWrite={mayWrite} />
          </div>
        </div>
      )}
      {open.dialog === "search" && (
        <SearchDialog view={view} asked={props.asked} categories={categories} outcome={props.found} />
      )}
      {open.dialog === "ingest" && mayWrite && (
        <IngestDialog
          view={view}
          tab={open.tab}
          categories={categories}
          colleagues={props.colleagues}
          choice={{ picked, onPick, notTaken, broken, refused: refusedUpload, onSent }}
          result={result}
        />
      )}
      {dropping && <DropVeil />}
    </>
  );
}
