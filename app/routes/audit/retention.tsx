import { Form, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { Archive, Download, Trash2 } from "lucide-react";
import { z } from "zod";
import {
  type Checkpoint,
  dropSealed,
  listCheckpoints,
  SealInput,
  sealBefore,
} from "~/console/audit/checkpoints.service.server";
import { intent, screen } from "~/http/screen.server";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { countOf, formatCount } from "~/ui/format";
import { GuardedForms } from "~/ui/guarded-forms";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { Field, Input } from "~/ui/input";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import { RelativeTime } from "~/ui/time";

const HERE = "/audit/retention";
const Position = z.coerce.number().int().positive();

export const meta = pageTitle("Retention · Audit Log");

const { loader, action } = screen({
  access: "safeguards.disable",
  query: z.object({
    dialog: z.literal("drop").optional().catch(undefined),
    upTo: Position.optional().catch(undefined),
  }),
  load: ({ actor, query }) => ({
    checkpoints: listCheckpoints(actor),
    query,
  }),
  actions: {
    seal: intent({
      access: "safeguards.disable",
      input: SealInput,
      run: ({ actor, input }) => sealBefore(actor, input),
      done: ({ entries }) => `${formatCount(entries)} audit entries sealed`,
    }),
    drop: intent({
      access: "safeguards.disable",
      target: "upTo",
      run: ({ actor, target }) => dropSealed(actor, Position.catch(0).parse(target)),
      done: (dropped) => `${formatCount(dropped)} audit entries dropped`,
      failed: { dialog: "Couldn't drop the entries" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

export default function Retention() {
  const { checkpoints, query } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const navigation = useNavigation();
  const dropping =
    query.dialog && checkpoints.find(({ upToSeq, droppedAt }) => upToSeq === query.upTo && !droppedAt);
  return (
    <>
      <PageHeader
        title="Audit Retention"
        subtitle="Seal older entries, keep a copy and drop them. The entries after them stay verifiable."
        actions={<BackLink to="/audit">Audit Log</BackLink>}
      />
      <GuardedForms className="flex flex-col gap-4">
        <Card
          title="Seal Entries"
          description="The trail is verified first. A signed checkpoint then proves where the remaining trail begins."
        >
          <Form method="post" className="flex flex-wrap items-end gap-2">
            <Field
              label="First day to keep"
              name="before"
              error={result?.error?.before ?? result?.error?.content}
              required
              className="w-full sm:w-48"
            >
              <Input type="date" defaultValue={String(result?.initialValue?.before ?? "")} />
            </Field>
            <Button
              name="intent"
              value="seal"
              variant="primary"
              pending={navigation.formData?.get("intent") === "seal"}
            >
              Seal
            </Button>
          </Form>
        </Card>
        {checkpoints.length === 0 ? (
          <EmptyState
            icon={<Archive />}
            title="No sealed entries"
            description="Seal the entries before a day to download or drop them."
          />
        ) : (
          <CheckpointTable checkpoints={checkpoints} dropTo={(upTo) => `${HERE}?dialog=drop&upTo=${upTo}`} />
        )}
      </GuardedForms>
      {dropping && (
        <ConfirmDialog
          title={`Drop the entries up to ${formatCount(dropping.upToSeq)}?`}
          description={`${countOf(dropping.entries, "audit log entry", "audit log entries")} and all older ones are deleted for good. Download them first. The drop is recorded in the audit log.`}
          closeTo={HERE}
          intent="drop"
          values={{ upTo: String(dropping.upToSeq) }}
          confirmLabel="Drop Entries"
        />
      )}
    </>
  );
}

interface CheckpointTableProps {
  checkpoints: readonly Checkpoint[];
  dropTo: (upTo: number) => string;
}

function CheckpointTable({ checkpoints, dropTo }: CheckpointTableProps) {
  return (
    <Table caption="Sealed entries" stacks>
      <thead>
        <tr>
          <HeadCell>Up to entry</HeadCell>
          <HeadCell align="right">Entries</HeadCell>
          <HeadCell>Sealed</HeadCell>
          <HeadCell>State</HeadCell>
          <HeadCell align="right">Actions</HeadCell>
        </tr>
      </thead>
      <tbody>
        {checkpoints.map(({ upToSeq, entries, createdAt, droppedAt }) => (
          <TableRow key={upToSeq}>
            <Cell className="tabular-nums">{formatCount(upToSeq)}</Cell>
            <Cell label="Entries" align="right" className="tabular-nums">
              {formatCount(entries)}
            </Cell>
            <Cell label="Sealed" className="whitespace-nowrap">
              <RelativeTime at={new Date(createdAt).toISOString()} style="short" />
            </Cell>
            <Cell label="State">
              {droppedAt === null ? (
                <Badge tone="success">Kept</Badge>
              ) : (
                <Badge tone="neutral">Dropped</Badge>
              )}
            </Cell>
            <Cell align="right">
              {droppedAt === null && (
                <span className="flex justify-end gap-2">
                  <LinkButton
                    to={`/api/audit/checkpoints/${upToSeq}`}
                    reloadDocument
                    size="sm"
                    icon={<Download aria-hidden="true" />}
                    aria-label={`Download entries up to ${upToSeq}`}
                  >
                    Download
                  </LinkButton>
                  <LinkButton
                    to={dropTo(upToSeq)}
                    preventScrollReset
                    size="sm"
                    icon={<Trash2 aria-hidden="true" />}
                    aria-label={`Drop entries up to ${upToSeq}`}
                  >
                    Drop
                  </LinkButton>
                </span>
              )}
            </Cell>
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}
