import { Link, useActionData, useLoaderData } from "@remix-run/react";
import { FolderSync, Plus } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { formatCount } from "~/ui/format";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import { KindDialog, SourceDialog } from "~/work/documents/sources/components/source-dialog";
import { SourceStatus, sourcePlace } from "~/work/documents/sources/components/source-status";
import { type Source, SourceInput, SourcesScreenQuery } from "~/work/documents/sources/source.schema";
import { KIND_LABELS, SOURCES, sourceAddress } from "~/work/documents/sources/source-fields.shared";
import {
  createSource,
  listSources,
  readSourceChoices,
} from "~/work/documents/sources/sources.service.server";

export const meta = pageTitle("Sources", "RAG & Memory");

const { loader, action } = screen({
  access: "sources.manage",
  query: SourcesScreenQuery,
  load: async ({ actor, query }) => ({
    sources: await listSources(actor),
    query,
    choices: query.dialog === "new" && query.kind ? readSourceChoices(actor) : undefined,
  }),
  actions: {
    create: intent({
      access: "sources.manage",
      input: SourceInput,
      run: ({ actor, input }) => createSource(actor, input),
      done: ({ id, name }) => ({ to: sourceAddress(id), toast: `"${name}" added` }),
    }),
  },
});

export { action, loader };

export default function Sources() {
  const { sources, query, choices } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  useLiveTopics(["documents"], { isPaused: query.dialog !== undefined });
  const add = (
    <LinkButton
      to={`${SOURCES}?dialog=new`}
      preventScrollReset
      variant="primary"
      icon={<Plus aria-hidden="true" />}
    >
      New Source
    </LinkButton>
  );
  return (
    <div>
      <PageHeader
        title="Sources"
        subtitle="Keep documents up to date with the places that they live in"
        actions={
          <>
            <BackLink to="/rag">RAG &amp; Memory</BackLink>
            {sources.length > 0 && add}
          </>
        }
      />
      {sources.length === 0 ? (
        <EmptyState
          icon={<FolderSync />}
          title="No sources yet"
          description="Folders of the server, S3-compatible storage, Git repositories and WebDAV folders become documents that follow their files."
          action={add}
        />
      ) : (
        <SourcesTable sources={sources} />
      )}
      {query.dialog === "new" && !query.kind && <KindDialog closeTo={SOURCES} />}
      {query.kind && choices && (
        <SourceDialog kind={query.kind} choices={choices} closeTo={SOURCES} result={result} />
      )}
    </div>
  );
}

function SourcesTable({ sources }: { sources: Source[] }) {
  return (
    <Table caption="Sources" stacks>
      <thead>
        <tr>
          <HeadCell>Source</HeadCell>
          <HeadCell>Last sync</HeadCell>
          <HeadCell align="right">Files</HeadCell>
        </tr>
      </thead>
      <tbody>
        {sources.map((source) => (
          <TableRow key={source.id}>
            <Cell>
              <Link
                to={sourceAddress(source.id)}
                className="wrap-anywhere font-medium underline-offset-4 hover:underline"
              >
                {source.name}
              </Link>
              <p className="wrap-anywhere text-muted text-xs">
                {KIND_LABELS[source.kind].label} · {sourcePlace(source)}
              </p>
            </Cell>
            <Cell label="Last sync">
              <SourceStatus source={source} />
            </Cell>
            <Cell label="Files" align="right">
              <span className="tabular-nums">{formatCount(source.files.current)}</span>
            </Cell>
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}
