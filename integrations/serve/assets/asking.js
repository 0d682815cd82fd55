// Asking the server: JSON there and back; what it complains of becomes an error with its words.

const state = JSON.parse(byId("state-data").textContent);
let token = null;

class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function ask(what, content) {
  return (await answerTo(what, content)).json();
}

async function answerTo(what, content) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(`/api/${what}`, { method: "POST", headers, body: JSON.stringify(content), cache: "no-store", credentials: "omit", redirect: "error" });
  } catch (error) {
    throw new Refused(`The server cannot be reached: ${error.message}`, 0);
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({ error: response.statusText }));
  if (response.status === 401) askForToken();
  throw new Refused(answer.error ?? response.statusText, response.status);
}

function askForToken() {
  byId("token-form").hidden = false;
  byId("token").focus();
}

function tell(place, message, wrong = false) {
  place.textContent = message;
  place.classList.toggle("wrong", wrong);
}
