/** Fields of other rooms' forms. */
export { EffortField, ModelPicker } from "./components/model-picker";
