import { useNavigate } from "@remix-run/react";
import { FilePlus2, Search } from "lucide-react";
import { useEffect, useState } from "react";
import type { RagSettings } from "~/features/settings/settings.schema";
import { Button, LinkButton } from "~/ui/button";
import type { Result } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import { PageHeader } from "~/ui/page-header";
import type { Batch, UnsettledBatch } from "../batches.schema";
import type { EmbeddingOffer } from "../consent/consent.schema";
import type { Reader } from "../document-view.schema";
import type { CollectionStats as Stats } from "../documents.schema";
import type { RagStatus } from "../indexes.schema";
import type { DialogView, ListView, SearchOutcome, SearchView } from "../rag-screen.schema";
import { ragAddress } from "./addresses";
import { BatchPanel } from "./batch-panel";
import { CollectionStats } from "./collection-stats";
import { DocumentGroups } from "./document-groups";
import { DropVeil } from "./drop-veil";
import type { Group } from "./group";
import { takeHandedOver } from "./handed-files";
import type { SettingsChoices } from "./in-effect";
import { IngestDialog } from "./ingest-dialog";
import type { SentFiles } from "./ingest-files";
import { LeftOutFiles } from "./left-out-files";
import { addFiles, type Dropped, NOTHING_DROPPED, type PickedFile } from "./picked-files";
import { QuickActions } from "./quick-actions";
import { RagSettingsCard } from "./rag-settings-card";
import { SearchDialog } from "./search-dialog";
import { type RefusedUpload, UnsentFiles } from "./unsent-files";
import { UnsettledBatches } from "./unsettled-batches";
import { useEndedDocuments } from "./use-ended-documents";
import { useFileDrop } from "./use-file-drop";

interface RagScreenProps {
  groups: Group[];
  /** Ids of those shown whose vectors follow later. */
  withoutVectors: readonly string[];
  stats: Stats;
  batch: Batch | undefined;
  /** The batches of which something waits, runs or has failed. */
  unsettled: UnsettledBatch[];
  view: ListView;
  open: DialogView;
  asked: SearchView;
  found: SearchOutcome | undefined;
  /** All categories by name. */
  categories: string[];
  colleagues: Reader[];
  settings: RagSettings;
  /** Of the settings. */
  version: number;
  status: RagStatus;
  choices: SettingsChoices;
  /** A better embedding model, for who may agree to it. */
  offer: EmbeddingOffer | null;
  /** Why documents can't be added, and why settings can't be changed; absent for who may. */
  refusals: { write: string | undefined; manage: string | undefined };
  /** What the server said to a form that it refused. */
  result: Result;
  /** Files that were sent without script and refused as a whole. */
  refusedUpload?: RefusedUpload | undefined;
}

/** Searching, and the screen's primary action. */
function HeaderActions({ view, refusal }: { view: ListView; refusal: string | undefined }) {
  const icon = <FilePlus2 aria-hidden="true" />;
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
        <>
          <Button type="button" variant="primary" icon={icon} disabled aria-describedby="ingest-refusal">
            Ingest Document
          </Button>
          <p id="ingest-refusal" className="basis-full text-muted text-xs sm:text-right">
            {refusal}
          </p>
        </>
      ) : (
        <LinkButton
          to={ragAddress(view, { dialog: "ingest", tab: "text" })}
          preventScrollReset
          variant="primary"
          icon={icon}
        >
          Ingest Document
        </LinkButton>
      )}
    </>
  );
}

/** RAG & Memory: the documents, and everything that is done with all of them. */
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
    // What is sent as the rest of a batch leaves out nothing more; what was left out of it stays told.
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
  // Files that another screen was given.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the screen opens.
  useEffect(() => {
    const handed = takeHandedOver();
    if (handed.files.length > 0) take(handed);
  }, []);
  const dropping = useFileDrop(mayWrite, (dropped) => {
    take(dropped);
    navigate(ragAddress(view, { dialog: "ingest", tab: "file" }), { preventScrollReset: true });
  });
  return (
    <>
      <PageHeader
        title="RAG & Memory"
        subtitle="Documents that models can search and quote"
        actions={<HeaderActions view={view} refusal={refusals.write} />}
      />
      {/* Beside each other where there is room; below each other the settings, seldom changed, come last. */}
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_auto_1fr]">
        <div className="flex min-w-0 flex-col gap-4 lg:col-span-2">
          <CollectionStats stats={stats} view={view} />
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
          <UnsettledBatches batches={unsettled} view={view} />
          {sent && sent.batch === view.batch && (
            <LeftOutFiles
              files={sent.leftOut}
              retried={sent.retried}
              onClose={() => setSent({ ...sent, leftOut: [], retried: [] })}
            />
          )}
          {batch && <BatchPanel batch={batch} view={view} />}
          {view.batch && !batch && (
            <Notice>This batch is no longer there, or somebody else's. Its documents are in the list.</Notice>
          )}
        </div>
        <div className="min-w-0 lg:col-start-2 lg:row-start-2">
          <QuickActions stats={stats} view={view} mayWrite={mayWrite} />
        </div>
        <div className="min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-2">
          <DocumentGroups
            groups={groups}
            categories={categories}
            view={view}
            total={stats.total}
            mayWrite={mayWrite}
          />
        </div>
        <div className="min-w-0 lg:col-start-2 lg:row-start-3">
          <RagSettingsCard
            settings={props.settings}
            version={props.version}
            status={status}
            choices={props.choices}
            offer={props.offer}
            refusal={refusals.manage}
            // The dialog's forms are sent while it is open, this one while none is.
            result={open.dialog ? undefined : result}
          />
        </div>
      </div>
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
