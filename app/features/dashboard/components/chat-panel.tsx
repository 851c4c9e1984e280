import { Form, useNavigation } from "@remix-run/react";
import { ArrowRight, MessageSquare, SendHorizontal } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field } from "~/ui/field";
import { Textarea } from "~/ui/input";
import { useHydrated } from "~/ui/use-hydrated";
import { PANEL_TOOLS } from "../panel-tools.schema";

interface ChatPanelProps {
  model: string;
  /** Why this person may not chat. */
  refusal: string | undefined;
  content?: string | undefined;
  error?: string | undefined;
}

/** Starts a conversation, which opens in the chat. */
export function ChatPanel({ model, refusal, content, error }: ChatPanelProps) {
  const hydrated = useHydrated();
  const navigation = useNavigation();
  return (
    <Card
      title="AI Chat"
      icon={<MessageSquare />}
      description={model}
      footer={
        <LinkButton to="/chat" variant="ghost" size="sm" className="-ml-2.5">
          Open in chat
          <ArrowRight aria-hidden="true" />
        </LinkButton>
      }
    >
      {refusal ? (
        <p className="text-muted">{refusal}</p>
      ) : (
        <Form method="post" className="flex flex-col gap-3">
          {!hydrated && <input type="hidden" name="live" value="true" />}
          <Field label="Message" name="content" hideLabel error={error}>
            <Textarea
              rows={4}
              placeholder="Ask AI anything..."
              defaultValue={content ?? ""}
              onKeyDown={({ currentTarget, ctrlKey, key, metaKey }) => {
                if (key === "Enter" && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit();
              }}
            />
          </Field>
          <div className="flex flex-wrap items-center justify-between gap-2">
            <ul aria-label="Tools" className="flex min-w-0 flex-wrap gap-1.5">
              {PANEL_TOOLS.map((tool) => (
                <li key={tool}>
                  <Badge mono>{tool}</Badge>
                </li>
              ))}
            </ul>
            <input type="hidden" name="intent" value="ask" />
            <Button
              variant="primary"
              icon={<SendHorizontal aria-hidden="true" />}
              pending={navigation.formData?.get("intent") === "ask"}
            >
              Send
            </Button>
          </div>
        </Form>
      )}
    </Card>
  );
}
