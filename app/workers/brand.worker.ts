import { BrandTask, workOnBrand } from "~/features/branding/brand-task";
import { serve } from "./serve";

serve(BrandTask, workOnBrand);
