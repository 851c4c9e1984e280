import { cleanCss } from "~/features/branding/custom-css/clean-css";
import { CssTask } from "~/features/branding/custom-css/css-task";
import { serve } from "./serve";

serve(CssTask, ({ source }) => cleanCss(source));
