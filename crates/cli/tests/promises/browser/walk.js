// Notes every element that takes the focus from now on; tells how many should.
const place = e => {
  let path = '';
  for (; e && e.parentElement; e = e.parentElement)
    path = '/' + e.tagName.toLowerCase() + [...e.parentElement.children].indexOf(e) + path;
  return path;
};
const all = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[tabindex]:not([tabindex="-1"])';
const groups = new Set();
const wanted = [...document.querySelectorAll(all)].filter(e => {
  if (e.disabled || !e.checkVisibility({ visibilityProperty: true })) return false;
  // Of some radio buttons the Tab key reaches one, and the arrows the others.
  if (e.type !== 'radio') return true;
  const isFirst = !groups.has(e.name);
  groups.add(e.name);
  return isFirst && !document.querySelector('input[name="' + e.name + '"]:checked') || e.checked;
});
window.wanted = wanted.map(place);
window.reached = new Set([place(document.activeElement)]);
window.ringless = [];
addEventListener('focusin', event => {
  const e = event.target, style = getComputedStyle(e);
  window.reached.add(place(e));
  if (style.outlineStyle === 'none' && style.boxShadow === 'none') window.ringless.push(place(e));
});
return wanted.length;
