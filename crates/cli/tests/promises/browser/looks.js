// What is wrong with a page for those who cannot see it well, or have no mouse or little room.
const shown = e => e.checkVisibility({ visibilityProperty: true });
const place = e => {
  let path = '';
  for (; e && e.parentElement; e = e.parentElement)
    path = '/' + e.tagName.toLowerCase() + [...e.parentElement.children].indexOf(e) + path;
  return path;
};
const wrong = [];
if (!document.title.trim()) wrong.push('it has no title');
if (!document.documentElement.lang) wrong.push('it names no language');
const heads = document.querySelectorAll('h1').length;
if (heads !== 1) wrong.push(heads + ' first headings');
if (document.querySelectorAll('main').length !== 1) wrong.push('not one main part');
const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
ids.filter((id, n) => ids.indexOf(id) !== n).forEach(id => wrong.push('two are called ' + id));
document.querySelectorAll('table').forEach(table => {
  if (!table.querySelector('th')) wrong.push('a table without heads: ' + place(table));
});
document.querySelectorAll('[style]').forEach(e => wrong.push('style of its own: ' + place(e)));

// Colours as four numbers from 0 to 1, whichever way the browser writes them.
const colour = text => {
  const n = (text.match(/[\d.]+(e-?\d+)?/g) || []).map(Number);
  const scale = text.startsWith('color(') ? 1 : 255;
  return [n[0] / scale, n[1] / scale, n[2] / scale, n.length > 3 ? n[3] : 1];
};
const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const ground = e => {
  if (!e) return colour(getComputedStyle(document.documentElement).colorScheme.includes('dark')
    && matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(18,18,18)' : 'rgb(255,255,255)');
  const own = colour(getComputedStyle(e).backgroundColor);
  return own[3] >= 1 ? own : over(own, ground(e.parentElement));
};
const light = c => c.slice(0, 3).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const dim = new Map();
while (texts.nextNode()) {
  const e = texts.currentNode.parentElement;
  if (!texts.currentNode.data.trim() || !shown(e) || e.closest('svg,noscript,script,:disabled')) continue;
  const style = getComputedStyle(e), below = ground(e), size = parseFloat(style.fontSize);
  const [a, b] = [light(over(colour(style.color), below)), light(below)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
  if (ratio < least - 0.05) dim.set(style.color + ' ' + style.backgroundColor, 'contrast ' + ratio.toFixed(2)
    + ' of ' + e.tagName.toLowerCase() + '.' + e.className + ': ' + texts.currentNode.data.trim().slice(0, 30));
}
wrong.push(...dim.values());
return wrong;
