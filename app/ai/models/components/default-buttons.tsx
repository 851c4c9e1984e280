import { Check } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button } from "~/ui/button";
import { useInPlace } from "~/ui/sending";
import type { PickerFacts } from "../model-facts.shared";
import type { OfferedModel } from "../model-picker.shared";

interface DefaultButtonsProps {
  model: OfferedModel;
  facts: PickerFacts;
  onSaved: () => void;
}

/** Choosing a model leaves the defaults as they are: they are set by presses of their own. */
export function DefaultButtons({ model, facts, onSaved }: DefaultButtonsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be one of the form around the panel.
    <div
      role="group"
      aria-label={`Use ${model.name} by default`}
      className="flex flex-wrap items-center gap-2 border-line border-t px-3 py-2"
    >
      <p className="wrap-anywhere min-w-0 basis-full text-muted text-xs">
        Use <span className="font-medium text-ink">{model.name}</span> by default
      </p>
      <DefaultButton
        label="For Me"
        intent="submit"
        model={model.id}
        isSet={facts.own === model.id}
        onSaved={onSaved}
      />
      {facts.mayChooseForEveryone && (
        <DefaultButton
          label="For Everyone"
          intent="everyone"
          model={model.id}
          isSet={facts.everyone === model.id}
          onSaved={onSaved}
        />
      )}
    </div>
  );
}

interface DefaultButtonProps {
  label: string;
  intent: string;
  model: string;
  isSet: boolean;
  onSaved: () => void;
}

function DefaultButton({ label, intent, model, isSet, onSaved }: DefaultButtonProps) {
  const { send, isSending: isSaving } = useInPlace();
  const wasSaving = useRef(false);
  useEffect(() => {
    if (wasSaving.current && !isSaving) onSaved();
    wasSaving.current = isSaving;
  }, [isSaving, onSaved]);
  return (
    <Button
      type="button"
      size="sm"
      aria-pressed={isSet}
      icon={isSet ? <Check aria-hidden="true" /> : undefined}
      pending={isSaving}
      onClick={() => {
        if (!isSet) send({ model, intent }, "/model");
      }}
    >
      {label}
    </Button>
  );
}
