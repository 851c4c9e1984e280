import { Form, useActionData, useLoaderData, useNavigation, useSearchParams } from "@remix-run/react";
import {
  Archive,
  Download,
  FileJson,
  FileSpreadsheet,
  FileText,
  ScrollText,
  Send,
  ShieldCheck,
} from "lucide-react";
import {
  auditAddress,
  entryAddress,
  isFiltered,
  moreAddress,
} from "~/console/audit/components/audit-address";
import { AuditFilters } from "~/console/audit/components/audit-filters";
import { AuditLog, SampleEntries } from "~/console/audit/components/audit-list";
import { EntryDrawer } from "~/console/audit/components/entry-drawer";
import { TrailCheckResult, TrailNotice } from "~/console/audit/components/trail-notice";
import { hasEntries, pageAudit, SPAN, startOf } from "~/console/audit/entries.service.server";
import { withSentence } from "~/console/audit/sentences.service.server";
import { acceptTrail, checkTrail, readTrailProblem } from "~/console/audit/trail.service.server";
import { intent, screen } from "~/http/screen.server";
import { AuditScreenQuery, OpenEntry } from "~/platform/audit/audit.schema";
import { findEntry } from "~/platform/audit/audit.service.server";
import { EXPORT_FORMATS } from "~/platform/audit/audit.shared";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may } from "~/platform/rights/authorization.server";
import { namesOfActors } from "~/team/members/member-names.service.server";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { useHydrated } from "~/ui/hydration";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { Menu, MenuLink } from "~/ui/menu";
import { usePageAddress } from "~/ui/page-address";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { RelativeTime } from "~/ui/time";

export const meta = pageTitle("Audit Log");

const { loader, action } = screen({
  access: "signed-in",
  query: AuditScreenQuery.extend(OpenEntry.shape),
  load: async ({ actor, query: { dialog, id, ...query } }) => {
    const { range, depth, ...filter } = query;
    const from = startOf(range);
    const { entries, next, reached } = await pageAudit(actor, { ...filter, from }, SPAN * depth);
    const isElsewhere = dialog && id && !entries.some((entry) => entry.id === id);
    const other = isElsewhere ? findEntry(actor, id) : undefined;
    return {
      entries: entries.map(withSentence),
      other: other && withSentence(other),
      next,
      reached,
      query,
      from,
      people: namesOfActors(actor),
      isEmpty: !hasEntries(actor),
      everyone: may(actor, "audit.all"),
      owner: may(actor, "safeguards.disable"),
      problem: readTrailProblem(actor),
    };
  },
  actions: {
    accept: intent({
      access: "safeguards.disable",
      run: ({ actor }) => acceptTrail(actor),
      done: "Audit trail accepted",
      failed: { dialog: "Couldn't accept the audit trail" },
    }),
    verify: intent({
      access: "audit.all",
      run: ({ actor }) => checkTrail(actor),
      done: (check) => ({ show: check }),
      failed: { toast: "Couldn't verify the audit trail" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

const FORMATS = {
  csv: { label: "CSV", icon: <FileSpreadsheet /> },
  json: { label: "JSON", icon: <FileJson /> },
  ndjson: { label: "NDJSON", icon: <FileText /> },
};

function Actions({ exportTo, owner }: { exportTo: (format: string) => string; owner: boolean }) {
  const navigation = useNavigation();
  return (
    <>
      {owner && (
        <>
          <LinkButton to="/audit/retention" icon={<Archive aria-hidden="true" />}>
            Retention
          </LinkButton>
          <LinkButton to="/audit/stream" icon={<Send aria-hidden="true" />}>
            Stream
          </LinkButton>
        </>
      )}
      <Form method="post" preventScrollReset>
        <Button
          name="intent"
          value="verify"
          icon={<ShieldCheck />}
          pending={navigation.formData?.get("intent") === "verify"}
        >
          Verify
        </Button>
      </Form>
      <Menu
        button={
          <>
            <Download aria-hidden="true" className="size-4" />
            Export
          </>
        }
        buttonClassName="inline-flex min-h-9 cursor-pointer list-none items-center gap-2 rounded-md bg-primary-solid px-3.5 py-1 font-medium text-on-solid text-sm shadow-card hover:bg-primary-solid-hover pointer-coarse:min-h-11 forced-colors:border [&::-webkit-details-marker]:hidden"
      >
        {EXPORT_FORMATS.map((format) => (
          <MenuLink key={format} to={exportTo(format)} icon={FORMATS[format].icon} reloadDocument>
            {FORMATS[format].label}
          </MenuLink>
        ))}
      </Menu>
    </>
  );
}

export default function AuditScreen() {
  const { entries, other, people, next, reached, isEmpty, everyone, owner, problem, query, from } =
    useLoaderData<typeof loader>();
  const check = useActionData<typeof action>()?.shown;
  const [search] = useSearchParams();
  const pageAddress = usePageAddress();
  const hydrated = useHydrated();
  // A search is expensive, and later pages have no new entries.
  useLiveTopics(["audit"], { isPaused: Boolean(query.search || query.address || query.cursor) });
  const { action: kind, address, person, resource } = query;
  const exportTo = (format: string) => {
    const filter = { format, action: kind, from, search: query.search, person, resource, address };
    const entries = Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : []));
    return `/api/audit/export?${new URLSearchParams(entries)}`;
  };
  // Without JavaScript the page opens at the added entries.
  const added = hydrated ? "" : `#log-${entries.length + 1}`;
  return (
    <>
      <PageHeader
        title="Audit Log"
        subtitle="System activity and security events"
        actions={everyone && <Actions exportTo={exportTo} owner={owner} />}
      />
      {check && <TrailCheckResult check={check} people={people} />}
      {problem && (
        <TrailNotice
          problem={problem}
          closeTo={pageAddress()}
          acceptTo={pageAddress({ dialog: "accept" })}
          isOpen={search.get("dialog") === "accept"}
        />
      )}
      <AuditFilters query={query} people={people} />
      {entries.length === 0 ? (
        <>
          <EmptyState
            icon={<ScrollText />}
            title="No audit logs found"
            description={
              reached
                ? "Nothing matches in the entries searched so far"
                : isFiltered(query)
                  ? "Try adjusting your search or filters"
                  : "Audit logs will appear here as system activities occur"
            }
            action={isFiltered(query) ? <LinkButton to="/audit">Show All Logs</LinkButton> : undefined}
          />
          {isEmpty && !isFiltered(query) && (
            <Card title="What entries look like" className="mt-4">
              <SampleEntries />
            </Card>
          )}
        </>
      ) : (
        <Card title={everyone ? "Everyone's activity" : "Your own activity"} className="overflow-hidden">
          <AuditLog entries={entries} people={people} entryTo={(id) => entryAddress(query, id)} />
        </Card>
      )}
      {reached && (
        <p className="mt-4 text-center text-muted">
          Searched back to <RelativeTime at={reached} style="date" />. Load more logs to search older entries.
        </p>
      )}
      <CursorPages
        first={query.cursor && "/audit"}
        next={next && moreAddress(query, { next, reached, added })}
        nextLabel="Load More Logs"
        preventScrollReset
      />
      {search.get("dialog") === "entry" && (
        <EntryDrawer
          entry={[...entries, other].find((entry) => entry?.id === search.get("id"))}
          people={people}
          closeTo={auditAddress(query)}
        />
      )}
    </>
  );
}
