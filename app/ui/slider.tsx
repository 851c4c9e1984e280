import { type ComponentPropsWithRef, type CSSProperties, useState } from "react";
import { cx } from "./class-names";
import { useFieldProps } from "./input";

type SliderProps = Omit<ComponentPropsWithRef<"input">, "type" | "defaultValue" | "value"> & {
  min: number;
  max: number;
  defaultValue: number;
  format?: (value: number) => string;
  onValue?: (value: number) => void;
};

export function Slider({
  min,
  max,
  defaultValue,
  format = String,
  onValue,
  className,
  ...rest
}: SliderProps) {
  const [value, setValue] = useState(defaultValue);
  const props = useFieldProps(rest);
  return (
    <span className={cx("block", className)}>
      <span className="flex items-center gap-3">
        <input
          type="range"
          min={min}
          max={max}
          value={value}
          aria-valuetext={format(value)}
          className="slider h-8 min-w-0 flex-1 accent-primary-solid pointer-coarse:h-11"
          style={{ "--share": `${((value - min) / (max - min)) * 100}%` } as CSSProperties}
          {...props}
          onChange={(event) => {
            setValue(event.target.valueAsNumber);
            onValue?.(event.target.valueAsNumber);
          }}
        />
        <output
          htmlFor={props.id}
          className="scripted:visible invisible min-w-6 text-right font-medium text-ink"
        >
          {format(value)}
        </output>
      </span>
      <span aria-hidden="true" className="scripted:mr-9 flex justify-between text-muted text-xs">
        <span>{format(min)}</span>
        <span>{format(max)}</span>
      </span>
    </span>
  );
}
