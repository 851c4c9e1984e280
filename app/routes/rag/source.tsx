import { Form, useActionData, useLoaderData } from "@remix-run/react";
import { Pencil, RefreshCw, Square, Trash2 } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { Button, LinkButton, onlyFirstPress } from "~/ui/button";
import { Card } from "~/ui/card";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { FactList, type Facts } from "~/ui/fact-list";
import { countOf } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { refreshTime } from "~/work/documents/components/document/schedule";
import { SCHEDULES } from "~/work/documents/ingestion/ingest.shared";
import { SourceDialog } from "~/work/documents/sources/components/source-dialog";
import { SourceFiles } from "~/work/documents/sources/components/source-files";
import { SourceStatus, sourcePlace } from "~/work/documents/sources/components/source-status";
import {
  type Source,
  SourceDeletion,
  SourceInput,
  SourceScreenQuery,
} from "~/work/documents/sources/source.schema";
import {
  KIND_LABELS,
  SOURCE_DEFAULTS,
  SOURCES,
  sourceAddress,
} from "~/work/documents/sources/source-fields.shared";
import {
  cancelSync,
  changeSource,
  deleteSource,
  getSource,
  listSourceFiles,
  readSourceChoices,
  startSync,
} from "~/work/documents/sources/sources.service.server";

export const meta = pageTitle("Source", "RAG & Memory");

const FILES_ON_PAGE = 50;

const { loader, action } = screen({
  access: "sources.manage",
  query: SourceScreenQuery,
  load: async ({ actor, params, query }) => {
    const { sourceId = "" } = params;
    const { dialog, state, cursor } = query;
    return {
      source: await getSource(actor, sourceId),
      ...listSourceFiles(actor, sourceId, { state, cursor, limit: FILES_ON_PAGE }),
      query,
      choices: dialog === "edit" ? readSourceChoices(actor) : undefined,
    };
  },
  actions: {
    save: intent({
      access: "sources.manage",
      input: SourceInput,
      // A form leaves out what is blank.
      run: ({ actor, params, input: { kind: _, ...input } }) =>
        changeSource(actor, params.sourceId ?? "", {
          ...SOURCE_DEFAULTS,
          ...Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
        }),
      done: ({ id, name }) => ({ to: sourceAddress(id), toast: `"${name}" saved` }),
    }),
    sync: intent({
      access: "sources.manage",
      run: ({ actor, params }) => startSync(actor, params.sourceId ?? ""),
      done: "Sync started",
      failed: { toast: "Couldn't start the sync" },
    }),
    cancel: intent({
      access: "sources.manage",
      run: ({ actor, params }) => cancelSync(actor, params.sourceId ?? ""),
      done: "Sync canceled",
      failed: { toast: "Couldn't cancel the sync" },
    }),
    delete: intent({
      access: "sources.manage",
      input: SourceDeletion,
      run: ({ actor, params, input }) => deleteSource(actor, params.sourceId ?? "", input),
      done: ({ name }) => ({ to: SOURCES, toast: `"${name}" deleted` }),
      failed: { dialog: "Couldn't delete the source" },
    }),
  },
});

export { action, loader };

export default function SourceScreen() {
  const { source, files, next, query, choices } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  useLiveTopics(["documents"], { isPaused: query.dialog !== undefined });
  const here = sourceAddress(source.id);
  const nextTo = next
    ? `${here}?${new URLSearchParams({ ...(query.state ? { state: query.state } : {}), cursor: next })}`
    : undefined;
  return (
    <div className="flex flex-col gap-4">
      <PageHeader
        title={source.name}
        subtitle={`${KIND_LABELS[source.kind].label} · ${sourcePlace(source)}`}
        actions={
          <>
            <BackLink to={SOURCES}>Sources</BackLink>
            <LinkButton to={`${here}?dialog=edit`} preventScrollReset icon={<Pencil aria-hidden="true" />}>
              Edit
            </LinkButton>
            <LinkButton to={`${here}?dialog=delete`} preventScrollReset icon={<Trash2 aria-hidden="true" />}>
              Delete
            </LinkButton>
            <Form method="post" preventScrollReset>
              {source.progress ? (
                <Button
                  name="intent"
                  value="cancel"
                  icon={<Square aria-hidden="true" />}
                  onClick={onlyFirstPress}
                >
                  Cancel Sync
                </Button>
              ) : (
                <Button variant="primary" name="intent" value="sync" icon={<RefreshCw aria-hidden="true" />}>
                  Sync Now
                </Button>
              )}
            </Form>
          </>
        }
      />
      <Summary source={source} />
      <SourceFiles files={files} state={query.state} here={here} nextTo={nextTo} />
      {query.dialog === "edit" && choices && (
        <SourceDialog kind={source.kind} source={source} choices={choices} closeTo={here} result={result} />
      )}
      {query.dialog === "delete" && (
        <ConfirmDialog
          title={`Delete the source "${source.name}"?`}
          description="Nothing is deleted in the place itself."
          closeTo={here}
          intent="delete"
          confirmLabel="Delete Source"
          fields={
            <fieldset className="flex flex-col">
              <legend className="mb-1 font-medium text-sm">Its documents</legend>
              <Choice value="keep" label="Keep them, without updates" isChosen />
              <Choice value="delete" label="Delete them; they can be restored for ten minutes" />
            </fieldset>
          }
        />
      )}
    </div>
  );
}

function Choice({ value, label, isChosen = false }: { value: string; label: string; isChosen?: boolean }) {
  return (
    <label className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
      <input
        type="radio"
        name="documents"
        value={value}
        defaultChecked={isChosen}
        className="size-4 accent-primary-solid"
      />
      {label}
    </label>
  );
}

function Summary({ source }: { source: Source }) {
  const { files, lastSync, owner, sync, nextSyncAt, graceDays, visibility, category } = source;
  const facts: Facts = [
    ["Last sync", <SourceStatus key="status" source={source} />],
    ["Sync", SCHEDULES.find(({ name }) => name === sync)?.label],
    [
      "Next sync",
      nextSyncAt && !source.progress && <time dateTime={nextSyncAt}>{refreshTime(nextSyncAt)}</time>,
    ],
    [
      "Files",
      `${countOf(files.current, "file")}, ${files.skipped} skipped, ${files.failed} failed, ${files.missing} missing`,
    ],
    ["Removed files", graceDays === 0 ? "Deleted at the next sync" : `Kept for ${countOf(graceDays, "day")}`],
    ["Visible to", visibility === "named" ? "Specific people" : "Everyone in the organization"],
    ["Category", category],
    ["Owner", owner.name],
  ];
  return (
    <Card title="Sync">
      <FactList facts={facts} />
      {lastSync && !lastSync.error && !lastSync.isComplete && (
        <Notice className="mt-3">
          It has more files than its limit, or folders that can't be read, so not all of it is read and none
          counts as removed.
        </Notice>
      )}
    </Card>
  );
}
