import { Form, useNavigation } from "@remix-run/react";
import { useRef } from "react";
import type { RagSettings } from "~/features/settings/settings.schema";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { useFocusFirstError } from "~/ui/dialog";
import { type Result, readResult } from "~/ui/form-result";
import { Notice } from "~/ui/notice";
import { ToggleButton } from "~/ui/toggle-button";
import type { InEffect, SettingsChoices } from "./in-effect";
import { IndexBuild } from "./index-build";
import { RagSettingsFacts, RagSettingsFields } from "./rag-settings-fields";
import { useChangesAddress } from "./use-changes-address";

interface RagSettingsCardProps {
  settings: RagSettings;
  inEffect: InEffect;
  choices: SettingsChoices;
  /** Why the settings can't be changed; absent for who may. */
  refusal: string | undefined;
  result: Result;
}

/** How documents are embedded, stored and searched. */
export function RagSettingsCard({ settings, inEffect, choices, refusal, result }: RagSettingsCardProps) {
  const navigation = useNavigation();
  const changes = useChangesAddress();
  const intent = navigation.formData?.get("intent");
  const { errors, problem, sent } = readResult(result);
  const form = useRef<HTMLFormElement>(null);
  useFocusFirstError(form, result);
  return (
    <Card
      title={
        <span id="settings" className="scroll-mt-20">
          RAG & Embedding Settings
        </span>
      }
      description={refusal}
      actions={
        refusal ? undefined : (
          <Form method="post" action={changes} preventScrollReset>
            <input type="hidden" name="ragEnabled" value={settings.ragEnabled ? "false" : "true"} />
            <ToggleButton
              on={settings.ragEnabled}
              label="RAG enabled"
              intent="toggle-rag"
              pending={intent === "toggle-rag"}
            />
          </Form>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {!settings.ragEnabled && (
          <Notice kind="warning">
            RAG is switched off: nothing is ingested or searched. The documents stay.
          </Notice>
        )}
        <Effect inEffect={inEffect} />
        {inEffect.build && <IndexBuild build={inEffect.build} mayManage={refusal === undefined} />}
        {refusal ? (
          <RagSettingsFacts settings={settings} />
        ) : (
          <Form
            ref={form}
            method="post"
            preventScrollReset
            noValidate
            aria-label="RAG & Embedding Settings"
            // What was saved meanwhile stands in the fields.
            key={JSON.stringify(settings)}
            className="flex flex-col gap-4"
          >
            {problem && (
              <Notice kind="danger" title="Settings not saved">
                {problem}
              </Notice>
            )}
            <RagSettingsFields settings={settings} choices={choices} sent={sent} errors={errors} />
            <Button
              variant="primary"
              name="intent"
              value="save-settings"
              pending={intent === "save-settings"}
              className="self-start"
            >
              Save Settings
            </Button>
          </Form>
        )}
      </div>
    </Card>
  );
}

function Effect({ inEffect: { store, embedder, notices } }: { inEffect: InEffect }) {
  return (
    <div className="flex flex-col gap-2">
      <dl
        aria-label="In effect"
        className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 rounded-md bg-sunken px-3 py-2.5"
      >
        <dt className="text-muted">Vectors in</dt>
        <dd className="wrap-anywhere">{store ?? "None, keywords only"}</dd>
        <dt className="text-muted">Embedded by</dt>
        <dd className="wrap-anywhere">{embedder ?? "Nothing, keywords only"}</dd>
      </dl>
      {notices.map((notice) => (
        <Notice key={notice} kind="warning">
          {notice}
        </Notice>
      ))}
    </div>
  );
}
