from cases import CONSOLE, GREETING, MESSAGES_MODEL, MODEL, PIXEL, RESPONSES_MODEL, TOKEN, V1, WEATHER
from cases import equal, run_cases, thrown_by
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel

openai = {"api_key": TOKEN, "base_url": V1, "max_retries": 0}
MODELS = [
    ChatOpenAI(model=MODEL, **openai),
    ChatOpenAI(model=RESPONSES_MODEL, **openai, use_responses_api=True, store=False),
    ChatAnthropic(model=MESSAGES_MODEL, api_key=TOKEN, base_url=CONSOLE, max_retries=0),
]


class Person(BaseModel):
    """A person."""

    name: str
    born: int


@tool
def look_up(city: str) -> str:
    """Looks up the weather."""
    return "21"


def text():
    for model in MODELS:
        equal(model.invoke("greet").text, GREETING)


def stream():
    for model in MODELS:
        equal("".join(chunk.text for chunk in model.stream("greet")), GREETING)


def tools():
    for model in MODELS:
        bound = model.bind_tools([look_up])
        question = HumanMessage("weather")
        call = bound.invoke([question])
        equal(call.tool_calls[0]["args"], {"city": "Wien"})
        result = look_up.invoke(call.tool_calls[0])
        equal(type(result), ToolMessage)
        equal(bound.invoke([question, call, result]).text, WEATHER)


def structured():
    for model in MODELS:
        asked = model.with_structured_output(Person, method="json_schema")
        equal(asked.invoke("as json"), Person(name="Ada", born=1815))


def images():
    for model in MODELS:
        image = {"type": "image", "base64": PIXEL, "mime_type": "image/png"}
        answer = model.invoke([HumanMessage(content_blocks=[{"type": "text", "text": "picture"}, image])])
        equal(answer.text, "One pixel.")


def errors():
    for model in MODELS:
        error = thrown_by(lambda model=model: model.invoke("too long"))
        assert "maximum context length" in str(error), error


def embeddings():
    made = OpenAIEmbeddings(
        model="text-embedding-3-small",
        **openai,
        check_embedding_ctx_length=False,
        model_kwargs={"encoding_format": "float"},
    )
    equal(made.embed_query("embed me"), [0.25, -0.5, 1])


run_cases(
    {
        "text": text,
        "stream": stream,
        "tools": tools,
        "structured output": structured,
        "images": images,
        "errors": errors,
        "embeddings": embeddings,
    }
)
