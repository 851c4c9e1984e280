import { Form, useNavigation } from "@remix-run/react";
import { Info, ScanText, Search } from "lucide-react";
import { useState } from "react";
import { Button } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import type { Result } from "~/ui/form-result";
import { Field, Input } from "~/ui/input";
import { lazyPart } from "~/ui/lazy-part";
import { NameDialog } from "~/ui/name-dialog";
import { Notice } from "~/ui/notice";
import { Tabs } from "~/ui/tabs";
import { LoadingDialog, useOpenDialog } from "~/ui/use-open-dialog";
import type { DocumentFinding, DocumentScreenData } from "../../screens/document-screen.schema";
import { CategoryChoice } from "../category-choice";
import { StatusBadge } from "../document-status";
import { IntentForm } from "../intent-form";
import { SearchResults } from "../search/search-results";
import { ChunksTab } from "./chunks-tab";
import { DocumentHeader } from "./document-header";
import { DocumentNotice } from "./document-notice";
import type { Range } from "./layout-text";
import { TextTab } from "./text-tab";
import { VersionNotice } from "./version-notice";
import { VersionsTab } from "./versions-tab";

interface SearchTabProps {
  query: string;
  finding: DocumentFinding | undefined;
}

function SearchTab({ query, finding }: SearchTabProps) {
  const { state, location } = useNavigation();
  const searching = state === "loading" && new URLSearchParams(location.search).has("q");
  return (
    <>
      <Form method="get" role="search" preventScrollReset className="flex max-w-xl items-start gap-2">
        <input type="hidden" name="tab" value="search" />
        <Field label="Search in this document" name="q" hideLabel className="flex-1">
          <Input
            key={query}
            type="search"
            defaultValue={query}
            maxLength={2000}
            placeholder="What are you looking for?"
            autoComplete="off"
          />
        </Field>
        <Button variant="primary" pending={searching} icon={<Search aria-hidden="true" />}>
          Search
        </Button>
      </Form>
      {finding && "problem" in finding && (
        <Notice kind="danger" title="Search Failed" className="mt-4">
          Error: {finding.problem}
        </Notice>
      )}
      {finding && "results" in finding && (
        <SearchResults {...finding} query={query} advice="Try other words." />
      )}
    </>
  );
}

interface DocumentScreenProps extends DocumentScreenData {
  categories: string[];
  mayWrite: boolean;
  referrer: string | undefined;
  result: Result;
  refusedVersion?: string | undefined;
}

const TABS = [
  ["text", "Text"],
  ["search", "Search"],
  ["chunks", "Chunks"],
  ["versions", "Versions"],
  ["details", "Details"],
] as const;

// Lazy: rarely open, and they bring what a choice of people and an upload need.
const DIALOG = "dialog[open]";
const accessDialog = lazyPart(
  () => import("./document-dialogs").then((module) => module.AccessDialog),
  DIALOG,
);
const encodingDialog = lazyPart(
  () => import("./document-dialogs").then((module) => module.EncodingDialog),
  DIALOG,
);
const scheduleDialog = lazyPart(
  () => import("./document-dialogs").then((module) => module.ScheduleDialog),
  DIALOG,
);
const details = lazyPart(
  () => import("./details-tab").then((module) => module.DetailsTab),
  "#document-details",
);
const versionDialog = lazyPart(
  () => import("./version-dialog").then((module) => module.VersionDialog),
  DIALOG,
);

const LOADED: Readonly<Record<string, string>> = {
  access: "Visibility",
  encoding: "Encoding",
  version: "New Version",
};

type Change = Record<string, string | undefined>;

export function DocumentScreen({
  document,
  query,
  categories,
  mayWrite,
  referrer,
  result,
  refusedVersion,
  ...shown
}: DocumentScreenProps) {
  const { tab, from, to, version, cursor, about, q } = query;
  const { search, isLoading } = useOpenDialog(document, { loads: Object.keys(LOADED) });
  const dialog = search.get("dialog");
  const mayOpen = dialog === "rename" ? mayWrite : document.mayManage;
  const open = mayOpen ? dialog : null;
  const address = (change: Change) => addressOf(document.id, change);
  const here = { tab: tab === "text" ? undefined : tab, from, to, version, cursor, about, q };
  const currentParams: Change = Object.fromEntries(
    Object.entries(here).map(([name, value]) => [name, value?.toString()]),
  );
  // The page may reload and would then link to itself.
  const [answerTo] = useState(referrer?.startsWith("/chat/") ? referrer : undefined);
  const mayRecognize = shown.canRecognize && document.mayManage && document.status === "ready";
  const dialogTo = (dialog: string) => address({ ...currentParams, dialog });
  const closeTo = address(currentParams);
  const loading = (title: string) => <LoadingDialog title={title} closeTo={closeTo} />;
  const passageTo = ({ start, end }: Range, number?: number) =>
    `${address({ from: String(start), to: String(end), version: number?.toString() })}#passage`;
  const passage = from !== undefined && to !== undefined && to > from ? { start: from, end: to } : undefined;
  return (
    <>
      <DocumentHeader
        document={document}
        status={<StatusBadge status={document.status} />}
        category={
          mayWrite ? (
            <span className="flex shrink-0">
              <CategoryChoice document={document} categories={categories} />
            </span>
          ) : (
            <span className="text-muted">{document.metadata.category}</span>
          )
        }
        dialogTo={dialogTo}
        mayWrite={mayWrite}
      />
      <DocumentNotice document={document} mayWrite={mayWrite} />
      <Tabs
        label="Document"
        tabs={TABS.map(([id, label]) => ({
          label,
          to: address({ tab: id === "text" ? undefined : id }),
          active: id === tab,
          ...(id === "chunks" ? { count: document.chunks } : {}),
        }))}
      />
      <div className="mt-5">
        {shown.text && (
          <VersionNotice
            present={document.version?.number}
            version={version}
            lost={shown.lostVersion}
            presentTo={address({})}
          />
        )}
        {shown.text && document.notes.length > 0 && (
          <ul aria-label="Remarks on its reading" className="mb-4 space-y-1 text-muted text-xs">
            {document.notes.map((note) => (
              <li key={note} className="flex items-start gap-1.5">
                <Info aria-hidden="true" className="mt-px size-3.5 shrink-0" />
                <span className="wrap-anywhere min-w-0">{note}</span>
              </li>
            ))}
          </ul>
        )}
        {shown.text && mayRecognize && (
          <div className="mb-4">
            <IntentForm intent="recognize" size="sm" icon={<ScanText aria-hidden="true" />}>
              {document.version?.facts.recognizedPages ? "Recognize Text Again" : "Recognize Text"}
            </IntentForm>
          </div>
        )}
        {shown.text && (
          <TextTab
            document={document}
            page={shown.text}
            version={shown.lostVersion === undefined ? version : undefined}
            passage={passage}
            quote={shown.quote}
            answerTo={answerTo}
            address={(change) => address({ version: version?.toString(), ...change })}
          />
        )}
        {tab === "search" && <SearchTab query={query.q ?? ""} finding={shown.finding} />}
        {shown.chunks && (
          <ChunksTab
            document={document}
            chunks={shown.chunks}
            passageTo={(start, end) => passageTo({ start, end }, document.version?.number)}
            firstTo={cursor === undefined ? undefined : address({ tab: "chunks" })}
            nextTo={shown.next && address({ tab: "chunks", cursor: shown.next })}
          />
        )}
        {shown.versions && (
          <VersionsTab
            document={document}
            versions={shown.versions}
            textTo={(number) => address({ version: String(number) })}
            nextTo={shown.next && address({ tab: "versions", cursor: shown.next })}
          />
        )}
        {tab === "details" && (
          <details.Part
            document={document}
            encoding={shown.encoding}
            dialogTo={document.mayManage ? dialogTo : undefined}
          />
        )}
      </div>
      {open === "rename" && (
        <NameDialog
          title="Rename"
          value={document.name}
          maxLength={200}
          intent="rename"
          submit="Rename"
          closeTo={closeTo}
          result={result}
        />
      )}
      {open && isLoading && LOADED[open] && loading(LOADED[open])}
      {open === "access" && !isLoading && (
        <accessDialog.Part
          document={document}
          colleagues={shown.colleagues ?? []}
          closeTo={closeTo}
          result={result}
          fallback={loading("Visibility")}
        />
      )}
      {open === "encoding" && !isLoading && (shown.encodings ?? []).length > 0 && (
        <encodingDialog.Part
          document={document}
          encodings={shown.encodings ?? []}
          closeTo={closeTo}
          result={result}
          fallback={loading("Encoding")}
        />
      )}
      {open === "schedule" && document.metadata.type === "url" && (
        <scheduleDialog.Part
          document={document}
          closeTo={closeTo}
          result={result}
          fallback={loading("Refresh Schedule")}
        />
      )}
      {open === "version" && !isLoading && document.metadata.type !== "url" && (
        <versionDialog.Part
          document={document}
          text={shown.present}
          closeTo={closeTo}
          result={result}
          refused={refusedVersion}
          fallback={loading("New Version")}
        />
      )}
      {open === "delete" && (
        <ConfirmDialog
          title={`Delete "${document.name}"?`}
          description="Its text, chunks and versions are removed. You can undo this for ten minutes."
          closeTo={closeTo}
          intent="delete"
          confirmLabel="Delete Document"
        />
      )}
    </>
  );
}

function addressOf(id: string, change: Change): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(change)) if (value) search.set(name, value);
  const path = `/rag/${encodeURIComponent(id)}`;
  return search.size > 0 ? `${path}?${search}` : path;
}
