import { useLoaderData } from "@remix-run/react";
import { Fragment } from "react";
import { type EnvironmentEntry, readEnvironment } from "~/console/settings/environment.service.server";
import { screen } from "~/http/screen.server";
import { Badge, StatusDot } from "~/ui/badge";
import { Notice } from "~/ui/notice";
import { pageTitle, SectionHeader } from "~/ui/page-header";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";

export const meta = pageTitle("Environment", "Settings");

const { loader } = screen({
  access: "settings.manage",
  load: ({ actor }) => ({ entries: readEnvironment(actor) }),
});

export { loader };

/** What is set, in the data folder as well, and what must be. */
const isShown = ({ present, required, source }: EnvironmentEntry) =>
  present || required || source === "generated";

export default function Environment() {
  const { entries } = useLoaderData<typeof loader>();
  const unset = entries.filter((entry) => !isShown(entry));
  return (
    <section aria-labelledby="environment" className="flex flex-col gap-4">
      <SectionHeader
        id="environment"
        title="Environment"
        subtitle="What this server was started with. Values are never shown."
      />
      <Notice title="Setting variables">
        Set variables in the shell, a <code>.env</code> file or <code>compose.yaml</code>, then restart the
        server; API keys in the <code>.env</code> that <code>npm start</code> read are taken without one. All
        are optional. <code>.env.example</code> explains each one.
      </Notice>
      <EnvironmentList caption="Environment variables" entries={entries.filter(isShown)} />
      {unset.length > 0 && (
        <details>
          <summary className="disclosure w-fit rounded-sm py-1.5 text-muted hover:text-ink pointer-coarse:py-3">
            Not set ({unset.length})
          </summary>
          <div className="mt-3">
            <EnvironmentList caption="Variables that aren't set" entries={unset} />
          </div>
        </details>
      )}
    </section>
  );
}

const SOURCES = {
  environment: "Environment",
  file: ".env file",
  generated: "Data folder",
  default: "Default",
  none: "—",
} as const;

/** A name that may break behind its underscores, and is copied without anything between. */
function Breakable({ name }: { name: string }) {
  return [...name.matchAll(/[^_]*_?/g)].map(({ 0: part, index }) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}

function EnvironmentList({ caption, entries }: { caption: string; entries: EnvironmentEntry[] }) {
  return (
    <Table caption={caption}>
      <thead>
        <tr>
          <HeadCell>Variable</HeadCell>
          <HeadCell>Status</HeadCell>
          <HeadCell>Source</HeadCell>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <TableRow key={entry.name}>
            <Cell>
              <span className="wrap-anywhere block font-mono text-xs">
                <Breakable name={entry.name} />
              </span>
              <span className="text-muted text-xs">{entry.description}</span>
            </Cell>
            <Cell>
              <Status entry={entry} />
            </Cell>
            <Cell className="whitespace-nowrap text-muted text-xs">{SOURCES[entry.source]}</Cell>
          </TableRow>
        ))}
      </tbody>
    </Table>
  );
}

function Status({ entry }: { entry: EnvironmentEntry }) {
  // Set in the data folder, not in the environment.
  if (entry.present || entry.source === "generated")
    return (
      <Badge tone="success" icon={<StatusDot tone="success" />}>
        {entry.present ? "Set" : "Generated"}
      </Badge>
    );
  if (entry.required)
    return (
      <Badge tone="danger" icon={<StatusDot tone="danger" />}>
        Required, not set
      </Badge>
    );
  return <Badge>Not set</Badge>;
}
