import { Form, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { z } from "zod";
import { ToolsCard } from "~/ai/tools/components/tools-card";
import { TOOLS_IN_FORM, ToolPoliciesForm } from "~/ai/tools/tools.schema";
import { listTools, setToolPolicies } from "~/ai/tools/tools.service.server";
import { ADVANCED_GROUPS } from "~/console/settings/advanced.schema";
import { readAdvancedForm, saveAdvancedForm } from "~/console/settings/advanced.service.server";
import { SettingsForm } from "~/console/settings/components/settings-form";
import type { Actor } from "~/core/actor";
import { formShape } from "~/http/form.server";
import { intent, screen } from "~/http/screen.server";
import { clearCaches, countCached } from "~/platform/settings/caches.service.server";
import { SETTINGS_GROUPS } from "~/platform/settings/groups/index.schema";
import { SettingsVersion } from "~/platform/settings/settings.schema";
import { ChannelsCard } from "~/team/notifications/components/channels-card";
import { listChannels, listDeliveries, testChannel } from "~/team/notifications/delivery.service.server";
import { ChannelTest } from "~/team/notifications/notifications.schema";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Checkbox } from "~/ui/choice";
import { FAILURES } from "~/ui/failures";
import { type Result, readResult, submittedText } from "~/ui/form-result";
import { revalidateOnConflict } from "~/ui/ignore-dialog-params";
import { FieldError } from "~/ui/input";
import { pageTitle, SectionHeader } from "~/ui/page-header";

export const meta = pageTitle("Advanced", "Settings");

/** Those that are changed most first, and open. */
const SHOWN = ["ai", "security", "notifications", "monitoring", "performance"] as const;
const OPEN: readonly string[] = ["ai", "security"];

const groups = SETTINGS_GROUPS.filter(({ id }) => ADVANCED_GROUPS.some((advanced) => advanced === id));

const AdvancedForm = z.object({
  // Browsers send nothing for a group of unchecked switches.
  ...Object.fromEntries(groups.map(({ id, fields }) => [id, z.object(formShape(fields)).prefault({})])),
  versions: z.object(Object.fromEntries(ADVANCED_GROUPS.map((id) => [id, SettingsVersion]))).prefault({}),
  /** In days; what it deletes was shown. */
  confirmedRetention: z.coerce.number().optional().catch(undefined),
});

function toolForms(actor: Actor) {
  const tools = listTools(actor).map(({ description: _, inputSchema: __, ...tool }) => tool);
  const starts = Array.from(
    { length: Math.ceil(tools.length / TOOLS_IN_FORM) },
    (_, at) => at * TOOLS_IN_FORM,
  );
  return starts.map((start) => tools.slice(start, start + TOOLS_IN_FORM));
}

const { loader, action } = screen({
  access: "settings.manage",
  load: ({ actor }) => ({
    groups: readAdvancedForm(actor),
    cached: countCached(actor),
    channels: listChannels(actor),
    deliveries: listDeliveries(actor),
    toolForms: toolForms(actor),
  }),
  actions: {
    save: intent({
      access: "settings.manage",
      input: AdvancedForm,
      run: ({ actor, input: { confirmedRetention: confirmed, ...input }, context }) =>
        saveAdvancedForm(actor, input, { secure: context.secure, confirmed }),
      done: "Advanced settings saved",
    }),
    "clear-cache": intent({
      access: "settings.manage",
      run: ({ actor }) => clearCaches(actor),
      done: "Cache cleared",
      failed: { toast: "Couldn't clear the cache" },
    }),
    "test-channel": intent({
      access: "settings.manage",
      input: ChannelTest,
      run: ({ actor, input }) => testChannel(actor, input.channel),
      done: "Test sent",
      failed: { toast: "Couldn't send the test" },
    }),
    "set-tool-policies": intent({
      access: "settings.manage",
      input: ToolPoliciesForm,
      run: ({ actor, input }) => setToolPolicies(actor, input),
      done: ([first, ...others]) =>
        first !== undefined && others.length === 0 ? `Saved: ${first}` : "Tools saved",
      failed: { toast: "Couldn't save the tools" },
    }),
  },
});

export { action, loader, revalidateOnConflict as shouldRevalidate };

export default function Advanced() {
  const loaded = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const sections = SHOWN.flatMap((id) => loaded.groups.filter((group) => group.id === id));
  return (
    <div className="flex flex-col gap-4">
      <SectionHeader title="Advanced" subtitle="How the console works, for everybody" />
      <SettingsForm
        cards={sections.map(({ id, label, ...group }) => ({
          title: label,
          prefix: id,
          isFolded: !OPEN.includes(id),
          ...group,
          extra: id === "security" && <RetentionConfirmation result={result} />,
        }))}
        versions={Object.fromEntries(loaded.groups.map(({ id, version }) => [`versions.${id}`, version]))}
        save="Save Advanced Settings"
        failed={FAILURES.saveAdvanced.title}
        result={result}
      />
      <ToolsCard forms={loaded.toolForms} />
      <ChannelsCard channels={loaded.channels} deliveries={loaded.deliveries} />
      <CacheCard cached={loaded.cached} />
    </div>
  );
}

/** Shown once a shorter retention was refused for what it would delete. */
function RetentionConfirmation({ result }: { result: Result }) {
  const { errors, submitted } = readResult(result);
  const due = errors.confirmedRetention?.[0];
  if (due === undefined) return null;
  const { conversationRetention } = (submitted?.security ?? {}) as { conversationRetention?: unknown };
  return (
    <div className="mt-4 space-y-1">
      <FieldError>{due}</FieldError>
      <Checkbox
        name="confirmedRetention"
        value={submittedText(conversationRetention)}
        label="Delete them"
        hint="Save again to confirm"
        aria-invalid
      />
    </div>
  );
}

function CacheCard({ cached }: { cached: number }) {
  const navigation = useNavigation();
  const pending = navigation.formData?.get("intent") === "clear-cache";
  return (
    <Card
      id="cache"
      title="Cache"
      description="Clear cached query embeddings and searches"
      actions={
        <Form method="post" preventScrollReset>
          <Button size="sm" name="intent" value="clear-cache" pending={pending}>
            Clear Cache
          </Button>
        </Form>
      }
    >
      <p className="text-muted text-sm">
        {cached === 1 ? "1 value is cached." : `${cached.toLocaleString("en-US")} values are cached.`}
      </p>
    </Card>
  );
}
