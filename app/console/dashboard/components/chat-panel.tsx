import { Form, useNavigation } from "@remix-run/react";
import { ArrowRight, MessageSquare, SquarePen } from "lucide-react";
import { type FormEvent, type KeyboardEvent, type ReactNode, useRef } from "react";
import { ModelPicker } from "~/ai/models/model-field.shared";
import type { OfferedModel } from "~/ai/models/model-picker.shared";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { useHydrated } from "~/ui/hydration";
import { Field, Textarea } from "~/ui/input";
import { PANEL_TOOLS } from "../panel-tools.shared";

interface ChatPanelProps {
  models: readonly OfferedModel[];
  model: string;
  onModel: (model: string) => void;
  refusal: string | undefined;
  content?: string | undefined;
  error?: string | undefined;
  openTo: string;
  /** The conversation after the first question, with JavaScript. */
  children: ReactNode;
  /** Whether a key pressed in the field sends the question. */
  isSendKey: (event: KeyboardEvent) => boolean;
  /** With JavaScript only. */
  onAsk: (question: string) => void;
  onNew: () => void;
}

/** Starts a conversation in place, or without JavaScript on the streaming page. */
export function ChatPanel(props: ChatPanelProps) {
  const { models, model, refusal, openTo, children, onNew } = props;
  return (
    <Card
      title="AI Chat"
      icon={<MessageSquare />}
      description={children && (models.find(({ id }) => id === model)?.name ?? model)}
      footer={
        <>
          <LinkButton to={openTo} variant="ghost" size="sm" className="-ml-2.5">
            Open in Chat
            <ArrowRight aria-hidden="true" />
          </LinkButton>
          {children && (
            <Button type="button" variant="ghost" size="sm" icon={<SquarePen />} onClick={onNew}>
              New Chat
            </Button>
          )}
        </>
      }
    >
      {refusal ? <p className="text-muted">{refusal}</p> : (children ?? <FirstQuestion {...props} />)}
    </Card>
  );
}

function FirstQuestion({ models, model, onModel, content, error, onAsk, isSendKey }: ChatPanelProps) {
  const hydrated = useHydrated();
  const navigation = useNavigation();
  const input = useRef<HTMLTextAreaElement>(null);
  const ask = (event: FormEvent) => {
    const question = input.current?.value.trim() ?? "";
    // The server explains what an empty message lacks.
    if (question === "") return;
    event.preventDefault();
    onAsk(question);
  };
  return (
    <Form method="post" className="flex flex-col gap-3" onSubmit={ask}>
      {!hydrated && <input type="hidden" name="live" value="true" />}
      <Field label="Message" name="content" hideLabel error={error}>
        <Textarea
          ref={input}
          rows={2}
          placeholder="Ask AI anything..."
          defaultValue={content ?? ""}
          onKeyDown={(event) => {
            if (!isSendKey(event)) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
      </Field>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Field label="Model" name="model" hideLabel className="w-full sm:w-56">
          <ModelPicker models={models} value={model} onChange={({ target }) => onModel(target.value)} />
        </Field>
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
          className="ml-auto"
          icon={<ArrowRight aria-hidden="true" />}
          pending={navigation.formData?.get("intent") === "ask"}
        >
          Send
        </Button>
      </div>
    </Form>
  );
}
