// One key, whatever the keyboard: a Greek or Hebrew layout, whose letters are others, still means
// the Latin letter printed on the same key.
"use strict";

const keyOf = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
  if (digit && !event.shiftKey) return digit[1];
  if (event.key === "?" || (event.code === "Slash" && event.shiftKey)) return "?";
  const letter = /^Key([A-Z])$/.exec(event.code);
  if (letter && !/^[a-z]$/i.test(event.key)) return letter[1].toLowerCase();
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
};

const isTyping = (element) => element.matches("textarea, input, select");

// What a key does on pages without a task: it presses the one button that shows it.
const press = (key) => {
  const button = [...document.querySelectorAll("[data-key]")].find(
    (one) => one.dataset.key === key && !one.disabled && !one.closest("[inert]"),
  );
  if (!button) return false;
  button.click();
  return true;
};

const onKey = [];  // The task's own keys come first.

document.addEventListener("keydown", (event) => {
  if (isTyping(event.target) || event.isComposing) return;
  // A button that was reached by the tab key is pressed as everywhere else.
  const native = event.key === "Enter" || event.key === " ";
  const focused = document.activeElement;
  if (native && focused.matches("a, button, summary") && focused.matches(":focus-visible")) return;
  const key = keyOf(event);
  if (key === null) return;
  if (onKey.some((handle) => handle(key, event)) || press(key)) event.preventDefault();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  // Enter is to keep the answer, not to press this button again.
  if (button && !button.matches(":focus-visible")) button.blur();
});

// A page that the browser kept is shown as the server has it now.
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
