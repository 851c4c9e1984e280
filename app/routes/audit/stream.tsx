import { Form, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { z } from "zod";
import {
  StreamInput,
  type StreamState,
  streamFields,
  streamStart,
} from "~/console/audit/stream/stream.schema";
import { readStream, saveStreamSettings, testStream } from "~/console/audit/stream/stream.service.server";
import { SettingsForm } from "~/console/settings/components/settings-form";
import { drawnFields } from "~/core/field.schema";
import { formShape } from "~/http/form.server";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { SettingsVersion } from "~/platform/settings/settings.schema";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { formatCount } from "~/ui/format";
import { revalidateOnConflict } from "~/ui/ignore-dialog-params";
import { Notice } from "~/ui/notice";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { RelativeTime } from "~/ui/time";

export const meta = pageTitle("Audit Stream");

const fields = { ...streamFields, start: streamStart };

const StreamForm = z.object({ ...formShape(fields), version: SettingsVersion });

const { loader, action } = screen({
  access: "safeguards.disable",
  load: ({ actor }) => ({ stream: readStream(actor), fields: drawnFields(fields) }),
  actions: {
    save: intent({
      access: "safeguards.disable",
      input: StreamForm,
      run: ({ actor, input: { version, ...values } }) =>
        saveStreamSettings(actor, StreamInput.parse(values), version),
      done: ({ settings }) => (settings.enabled ? "Stream saved" : "Stream saved. It is off."),
    }),
    test: intent({
      access: "safeguards.disable",
      run: ({ actor }) => testStream(actor),
      done: "The collector took the test",
      failed: { toast: "Couldn't send the test" },
    }),
  },
});

export { action, loader, revalidateOnConflict as shouldRevalidate };

export default function Stream() {
  const { stream, fields } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  useLiveTopics(["audit-stream"]);
  return (
    <>
      <PageHeader
        title="Audit Stream"
        subtitle="Send each entry to your own log collector, in order and at least once."
        actions={<BackLink to="/audit">Audit Log</BackLink>}
      />
      <div className="flex flex-col gap-4">
        <State stream={stream} />
        <SettingsForm
          cards={[{ title: "Collector", fields, values: { ...stream.settings, start: "continue" } }]}
          versions={{ version: stream.version }}
          save="Save Stream"
          failed="Couldn't save the stream"
          result={result}
        />
      </div>
    </>
  );
}

function badgeOf({ settings, error }: StreamState) {
  if (!settings.enabled) return <Badge tone="neutral">Off</Badge>;
  return error === null ? <Badge tone="success">On</Badge> : <Badge tone="danger">Failing</Badge>;
}

function Moment({ at }: { at: string | null }) {
  return at === null ? "Never" : <RelativeTime at={at} style="short" />;
}

function State({ stream }: { stream: StreamState }) {
  const navigation = useNavigation();
  const { error, failures, nextAttemptAt, position, settings, succeededAt, waiting } = stream;
  const facts = {
    State: badgeOf(stream),
    "Sent up to entry": position === null ? "–" : formatCount(position),
    Waiting: formatCount(waiting),
    "Last success": <Moment at={succeededAt} />,
  };
  return (
    <Card
      title="Delivery"
      actions={
        <Form method="post" preventScrollReset>
          <Button
            size="sm"
            name="intent"
            value="test"
            pending={navigation.formData?.get("intent") === "test"}
          >
            Send Test
          </Button>
        </Form>
      }
    >
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        {Object.entries(facts).map(([name, value]) => (
          <div key={name}>
            <dt className="text-muted text-sm">{name}</dt>
            <dd className="mt-1 tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {settings.enabled && error !== null && (
        <Notice
          kind="danger"
          className="mt-4"
          title={
            failures === 1 ? "The last attempt failed" : `The last ${formatCount(failures)} attempts failed`
          }
        >
          <p className="break-words">{error}</p>
          <p className="mt-1">
            No entry is skipped.{" "}
            {nextAttemptAt !== null && (
              <>
                Next attempt: <RelativeTime at={nextAttemptAt} style="short" />.
              </>
            )}
          </p>
        </Notice>
      )}
    </Card>
  );
}
