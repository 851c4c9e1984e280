import { Link } from "@remix-run/react";
import { ChartNoAxesColumn, Settings2, SlidersHorizontal, Wrench, X } from "lucide-react";
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { EffortField, ModelPicker } from "~/ai/models/model-field.shared";
import type { EffortChoice } from "~/ai/models/model-picker.shared";
import { EFFECT_LABELS } from "~/ai/tools/effects.shared";
import { Badge } from "~/ui/badge";
import { Button, IconLink, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Checkbox } from "~/ui/choice";
import { cx } from "~/ui/class-names";
import { Field, Select } from "~/ui/input";
import { Slider } from "~/ui/slider";
import type { ChatMessage } from "../chat.schema";
import { type ChatChoices, CLOSED_DRAWER, DRAWER_COOKIE, MAX_STEPS } from "../chat-choices.shared";
import { contextGauge, useByDefault } from "./lazy-parts";
import { type ChosenOptions, personaHint } from "./use-chat-options";

interface Props {
  formId: string;
  choices: ChatChoices;
  chosen: ChosenOptions;
  /** The last answer whose use of the context is known. */
  answered: ChatMessage | undefined;
  messageCount: number;
  disabled: boolean;
}

export function ChatSettings({ formId, choices, chosen, answered, messageCount, disabled }: Props) {
  const { options, version, change: onChange } = chosen;
  const model = choices.models.find((candidate) => candidate.id === options.model);
  const persona = choices.personas.find((candidate) => candidate.id === options.persona);
  const toggle = (name: string, on: boolean) =>
    onChange({ tools: on ? [...options.tools, name] : options.tools.filter((tool) => tool !== name) });
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Card title="Settings" icon={<Settings2 aria-hidden="true" />}>
        <div className="space-y-4">
          <Field label="Model" name="model">
            <ModelPicker
              models={choices.models}
              form={formId}
              value={options.model}
              disabled={disabled}
              onChange={(event) => chosen.chooseModel(event.target.value)}
            />
          </Field>
          <EffortField
            name="reasoningEffort"
            isShown={model?.reasons === true}
            hint="How much the model thinks before it answers"
            form={formId}
            value={options.effort}
            disabled={disabled}
            onChange={(effort) => onChange({ effort: effort as EffortChoice })}
          />
          {options.model !== choices.defaultModel && <useByDefault.Part model={options.model} />}
          <Field label="Persona" name="persona" hint={personaHint(options, choices)}>
            <Select
              form={formId}
              value={options.persona}
              disabled={disabled}
              onChange={(event) => onChange({ persona: event.target.value })}
            >
              <option value="">Default</option>
              {choices.personas.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          </Field>
          {choices.personas.length > 0 && (
            <noscript>
              <Button
                form={formId}
                name="intent"
                value="persona"
                size="sm"
                disabled={disabled}
                formNoValidate
              >
                Use Persona
              </Button>
            </noscript>
          )}
          <Field label="Max Steps" name="maxSteps" hint="Maximum model calls per answer">
            <Slider
              key={version}
              form={formId}
              min={MAX_STEPS.min}
              max={MAX_STEPS.max}
              defaultValue={options.maxSteps}
              disabled={disabled}
              onValue={(maxSteps) => onChange({ maxSteps })}
            />
          </Field>
        </div>
      </Card>
      {answered?.metrics?.context && (
        <contextGauge.Part use={answered.metrics.context} model={answered.model ?? "the model"} />
      )}
      <Card title="Available Tools" icon={<Wrench aria-hidden="true" />}>
        <fieldset disabled={disabled}>
          <legend className="sr-only">Available Tools</legend>
          {choices.tools.map((tool) => (
            <Checkbox
              key={tool.name}
              name="tools"
              value={tool.name}
              form={formId}
              checked={options.tools.includes(tool.name)}
              onChange={(event) => toggle(tool.name, event.target.checked)}
              label={
                <span className="flex flex-wrap items-center gap-2">
                  <span className="font-mono text-xs">{tool.name}</span>
                  <Badge>{EFFECT_LABELS[tool.effect]}</Badge>
                </span>
              }
              hint={tool.title}
            />
          ))}
        </fieldset>
      </Card>
      <Card title="Session Stats" icon={<ChartNoAxesColumn aria-hidden="true" />}>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm [&_dd]:wrap-anywhere [&_dd]:text-right [&_dt]:text-muted">
          <dt>Messages</dt>
          <dd className="tabular-nums">{messageCount}</dd>
          <dt>Model</dt>
          <dd title={options.model}>{model?.name ?? (options.model || "None")}</dd>
          <dt>Tools enabled</dt>
          <dd className="tabular-nums">{options.tools.length}</dd>
          {persona && (
            <>
              <dt>Persona</dt>
              <dd>{persona.name}</dd>
            </>
          )}
        </dl>
      </Card>
    </div>
  );
}

const ID = "chat-settings";
/** From here the drawer is a column; below, a sheet. */
const WIDE = "(min-width: 90rem)";
const YEAR_SECONDS = 31_536_000;

function remember(isClosed: boolean): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and on plain HTTP.
  document.cookie = `${DRAWER_COOKIE}=${isClosed ? CLOSED_DRAWER : ""}; path=/; max-age=${isClosed ? YEAR_SECONDS : 0}; samesite=lax`;
}

/** Wide windows restore the last state; others start closed. Without JavaScript it is a link's target. */
export function useChatDrawer(isClosed: boolean) {
  const [closed, setClosed] = useState(isClosed);
  const [sheet, setSheet] = useState(false);
  const opener = useRef<HTMLElement | null>(null);
  const close = () => {
    setSheet(false);
    if (window.location.hash === `#${ID}`) window.location.hash = "";
    if (window.matchMedia(WIDE).matches) {
      setClosed(true);
      remember(true);
    }
    opener.current?.focus({ preventScroll: true });
  };
  const toggle = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault();
    opener.current = event.currentTarget;
    if (!window.matchMedia(WIDE).matches) return setSheet(!sheet);
    setClosed(!closed);
    remember(!closed);
  };
  return { closed, sheet, close, toggle };
}

export type ChatDrawerState = ReturnType<typeof useChatDrawer>;

export function DrawerButton({ drawer, children }: { drawer: ChatDrawerState; children: ReactNode }) {
  return (
    <LinkButton
      to={`#${ID}`}
      size="sm"
      variant="ghost"
      icon={<SlidersHorizontal aria-hidden="true" />}
      className="min-w-0 max-w-max shrink! grow basis-16 justify-start px-2!"
      aria-controls={ID}
      onClick={drawer.toggle}
    >
      <span className="truncate">
        <span className="sr-only">Chat settings: </span>
        {children}
      </span>
    </LinkButton>
  );
}

/** Classes of the box around the conversation and its drawer, which has its column before its HTML arrives. */
export const columnsFor = ({ closed }: ChatDrawerState) =>
  cx(
    "flex min-h-[calc(100dvh-3.75rem)] print:block",
    !closed && "xl:grid xl:grid-cols-[minmax(0,1fr)_20rem]",
  );

interface ChatDrawerProps {
  drawer: ChatDrawerState;
  /** Address that closes it without JavaScript. */
  closeTo: string;
  children: ReactNode;
}

/** A column beside the conversation; a sheet on narrow windows. */
export function ChatDrawer({ drawer, closeTo, children }: ChatDrawerProps) {
  const box = useRef<HTMLElement>(null);
  const { sheet, closed, close } = drawer;
  useEffect(() => {
    if (sheet) box.current?.querySelector<HTMLElement>("button, a")?.focus({ preventScroll: true });
  }, [sheet]);
  // Scrollable regions must be focusable, even with all fields disabled (WCAG 2.1.1).
  const reachable = { tabIndex: 0 };
  return (
    <>
      <aside
        ref={box}
        id={ID}
        aria-label="Chat Settings"
        {...reachable}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || !sheet) return;
          event.stopPropagation();
          close();
        }}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (sheet && relatedTarget && !currentTarget.contains(relatedTarget)) close();
        }}
        className={cx(
          "peer fixed inset-y-0 right-0 z-50 w-80 max-w-[calc(100vw-3rem)] overflow-y-auto overscroll-contain border-line border-l bg-canvas p-4 shadow-float target:block print:hidden",
          "xl:sticky xl:top-15 xl:z-auto xl:h-[calc(100dvh-3.75rem)] xl:shrink-0 xl:shadow-none",
          sheet ? "block" : "hidden",
          !closed && "xl:block",
        )}
      >
        <div className="mb-3 flex min-h-9 items-center justify-between gap-2 pointer-coarse:min-h-11">
          <h2 className="text-md">Chat Settings</h2>
          <IconLink
            to={closeTo}
            label="Close chat settings"
            icon={<X />}
            className="xl:hidden scripted:xl:inline-flex"
            onClick={(event) => {
              event.preventDefault();
              close();
            }}
          />
        </div>
        {children}
      </aside>
      <Link
        to={closeTo}
        tabIndex={-1}
        aria-hidden="true"
        onClick={(event) => {
          event.preventDefault();
          close();
        }}
        className={cx("fixed inset-0 z-40 bg-scrim peer-target:block xl:hidden", sheet ? "block" : "hidden")}
      >
        {" "}
      </Link>
    </>
  );
}
