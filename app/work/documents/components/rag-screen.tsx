import { useNavigate } from "@remix-run/react";
import { FilePlus2, FileUp, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { FieldSpec } from "~/core/field.schema";
import type { RagSettings } from "~/platform/settings/settings.schema";
import { LinkButton } from "~/ui/button";
import { MissingDialog } from "~/ui/confirm-dialog";
import { DropOverlay } from "~/ui/drop-overlay";
import { FAILURES } from "~/ui/failures";
import type { Result } from "~/ui/form-result";
import { lazyPart } from "~/ui/lazy-part";
import { PageHeader } from "~/ui/page-header";
import { Tabs } from "~/ui/tabs";
import { showToast } from "~/ui/toast-store";
import { lazyDialog } from "~/ui/use-open-dialog";
import type { ReadingTest } from "~/work/extraction/recognition/reading-server.schema";
import type { EmbeddingOffer } from "~/work/index/consent/consent.schema";
import type { RagStatus, RebuildEstimate } from "~/work/index/indexes.schema";
import type { Document, Reader, CollectionStats as Stats } from "../documents.schema";
import type { Batch, RefusedUpload } from "../ingestion/ingest.schema";
import { processedSentence } from "../ingestion/ingest.shared";
import type { DialogView, ListView, SearchOutcome, SearchView } from "../screens/rag-screen.schema";
import { ragAddress } from "./addresses";
import type { DeletedPage } from "./deleted-documents";
import { DocumentGroups } from "./document-groups";
import { addFiles, type PickedFile } from "./ingestion/add-files";
import { useFileDrop } from "./ingestion/use-file-drop";
import type { Group } from "./pending-change";
import { QuickActions } from "./quick-actions";
import type { RecognitionForm } from "./settings/scanned-pages-card";
import { SettingsHints } from "./settings/settings-hints";

interface Shown {
  groups: readonly Group[];
  withoutVectors: readonly string[];
  status: Pick<RagStatus, "embedder">;
}

function byId(groups: readonly Group[]): Map<string, Document> {
  return new Map(groups.flatMap(({ documents }) => documents.map((document) => [document.id, document])));
}

function useEndedDocuments({ groups, withoutVectors, status }: Shown, isQuiet: boolean): void {
  const hasEmbedder = status.embedder !== null;
  const before = useRef(groups);
  useEffect(() => {
    const earlier = byId(before.current);
    before.current = groups;
    if (isQuiet) return;
    for (const [id, document] of byId(groups)) {
      const { name, chunks, error } = document;
      if (earlier.get(id)?.status !== "processing" || document.status === "processing") continue;
      const hasEmbeddings = hasEmbedder && !withoutVectors.includes(id);
      if (document.status === "failed" || error !== null)
        showToast({ kind: "error", title: FAILURES.ingest.title, description: `${name}: ${error}` });
      else showToast({ kind: "success", title: processedSentence(name, chunks, hasEmbeddings) });
    }
  }, [groups, withoutVectors, hasEmbedder, isQuiet]);
}

/** Says when the index that was being built has taken over: its notice only goes. */
function useBuiltIndex({ indexes }: Pick<RagStatus, "indexes">): void {
  const building = useRef<string>();
  useEffect(() => {
    if (indexes.some(({ id, state }) => id === building.current && state === "serving"))
      showToast({ kind: "success", title: "The new index is in use" });
    building.current = indexes.find(({ state }) => state === "building")?.id;
  }, [indexes]);
}

function HeaderActions({ view, refusal }: { view: ListView; refusal: string | undefined }) {
  return (
    <>
      <LinkButton
        to={ragAddress(view, { dialog: "search" })}
        preventScrollReset
        icon={<Search aria-hidden="true" />}
      >
        Search
      </LinkButton>
      {refusal ? (
        <p className="text-muted text-xs">{refusal}</p>
      ) : (
        <LinkButton
          to={ragAddress(view, { dialog: "ingest", tab: "text" })}
          preventScrollReset
          variant="primary"
          icon={<FilePlus2 aria-hidden="true" />}
        >
          Ingest Document
        </LinkButton>
      )}
    </>
  );
}

const IngestDialog = lazyDialog(
  () => import("./ingestion/ingest-dialog").then((module) => module.IngestDialog),
  ({ view }) => ({ title: "Ingest Document", closeTo: ragAddress(view), size: "lg" }),
);
const SearchDialog = lazyDialog(
  () => import("./search/search-dialog").then((module) => module.SearchDialog),
  ({ view }) => ({ title: "Search Documents", closeTo: ragAddress(view), size: "lg" }),
);
const RebuildDialog = lazyDialog(
  () => import("./settings/rebuild-dialog").then((module) => module.RebuildDialog),
  ({ view }) => ({ title: "Rebuild the index?", closeTo: ragAddress(view), size: "sm" }),
);
const ScannedPagesDialog = lazyDialog(
  () => import("./settings/scanned-pages-dialog").then((module) => module.ScannedPagesDialog),
  ({ closeTo }) => ({ title: "Scanned Pages", closeTo }),
);
const addedTogether = lazyPart(
  () => import("./added-together").then((module) => module.AddedTogether),
  "[data-added-together]",
);
const ragSettings = lazyPart(
  () => import("./settings/rag-settings-card").then((module) => module.RagSettingsCard),
  "#rag-embedding-settings",
);
const scannedPages = lazyPart(
  () => import("./settings/scanned-pages-card").then((module) => module.ScannedPagesCard),
  "#scanned-pages",
);

interface RagScreenProps {
  groups: Group[];
  deleted: DeletedPage | undefined;
  withoutVectors: readonly string[];
  stats: Stats;
  batch: Batch | undefined;
  view: ListView;
  open: DialogView;
  searchView: SearchView;
  found: SearchOutcome | undefined;
  categories: string[];
  colleagues: Reader[];
  settings: RagSettings;
  version: number;
  status: RagStatus;
  fields: Readonly<Record<string, FieldSpec>>;
  offer: EmbeddingOffer | null;
  rebuild: RebuildEstimate | undefined;
  recognition: RecognitionForm | undefined;
  tested?: ReadingTest | undefined;
  refusals: { write: string | undefined; manage: string | undefined };
  result: Result;
  refusedUpload?: RefusedUpload | undefined;
}

export function RagScreen({ result, refusedUpload, ...props }: RagScreenProps) {
  const { view, open, categories, refusals } = props;
  const navigate = useNavigate();
  const [picked, setPicked] = useState<readonly PickedFile[]>([]);
  const mayWrite = refusals.write === undefined;
  const { groups, stats, batch, status } = props;
  // The progress of an upload says how its documents ended.
  useEndedDocuments(props, view.batch !== "");
  useBuiltIndex(status);
  const dropping = useFileDrop(mayWrite, (dropped) => {
    setPicked((existing) => addFiles(existing, dropped));
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
        <div className="mt-5 flex max-w-2xl flex-col gap-4">
          <ragSettings.Part
            settings={props.settings}
            version={props.version}
            status={status}
            fields={props.fields}
            offer={props.offer}
            rebuildTo={props.rebuild && ragAddress(view, { dialog: "rebuild" })}
            refusal={refusals.manage}
            // While a dialog is open, its forms show the result.
            result={open.dialog ? undefined : result}
          />
          {props.recognition && (
            <scannedPages.Part
              form={props.recognition}
              tested={props.tested}
              changeTo={ragAddress(view, { dialog: "scanned-pages" })}
            />
          )}
        </div>
      ) : (
        <div className="mt-5 grid gap-4 xl:grid-cols-[minmax(0,1fr)_15rem]">
          <div className="flex min-w-0 flex-col gap-4">
            <SettingsHints
              view={view}
              settings={props.settings}
              status={status}
              offer={props.offer}
              mayManage={refusals.manage === undefined}
            />
            {view.batch && <addedTogether.Part batch={batch} view={view} mayWrite={mayWrite} />}
            <DocumentGroups
              groups={groups}
              deleted={props.deleted}
              categories={categories}
              view={view}
              stats={stats}
              mayWrite={mayWrite}
            />
          </div>
          <div className="min-w-0">
            <QuickActions
              stats={stats}
              view={view}
              mayWrite={mayWrite}
              mayManageSources={refusals.manage === undefined}
            />
          </div>
        </div>
      )}
      {open.dialog === "search" && (
        <SearchDialog
          view={view}
          searchView={props.searchView}
          categories={categories}
          outcome={props.found}
        />
      )}
      {open.dialog === "ingest" && mayWrite && (
        <IngestDialog
          view={view}
          tab={open.tab}
          categories={categories}
          colleagues={props.colleagues}
          choice={{ picked, onPick: setPicked, refused: refusedUpload }}
          result={result}
        />
      )}
      {open.dialog === "rebuild" && props.rebuild && <RebuildDialog view={view} estimate={props.rebuild} />}
      {open.dialog === "rebuild" &&
        view.panel === "settings" &&
        !props.rebuild &&
        refusals.manage === undefined && (
          <MissingDialog message="There is no index to rebuild yet." closeTo={ragAddress(view)} />
        )}
      {open.dialog === "scanned-pages" && props.recognition && (
        <ScannedPagesDialog form={props.recognition} closeTo={ragAddress(view)} result={result} />
      )}
      {dropping && <DropOverlay icon={<FileUp />} text="Drop files or folders to ingest them" />}
    </>
  );
}
