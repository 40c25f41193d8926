'use strict';
// In place of a browser: the part of a document that the page's scripts draw with. Its content becomes the static page.
// Widths are in pixels at which the charts are drawn once; the page scales them.
const WIDE = 1000;
const HALF = 540;
const THIRD = 380;
const observed = [];

function Element(name) {
  this.localName = name;
  this.attributes = {};
  this.children = [];
  this.parent = null;
  this.clientWidth = 0;
  this.dataset = {};
}

Element.prototype.setAttribute = function (key, value) {
  this.attributes[key] = String(value);
};

Element.prototype.append = function (...children) {
  children.forEach((child) => {
    if (child instanceof Element) child.parent = this;
    this.children.push(child instanceof Element ? child : String(child));
  });
};

Element.prototype.replaceChildren = function (...children) {
  this.children = [];
  this.append.apply(this, children);
};

// There are no clicks, and nothing is drawn again except after a change of width.
Element.prototype.addEventListener = function () {};

function ResizeObserver(callback) {
  this.observe = (element) => observed.push({element, callback});
}

function addEventListener() {}

function requestAnimationFrame(callback) {
  callback();
}

const page = new Element('main');

const document = {
  isStatic: true,
  documentElement: new Element('html'),
  createElement: (name) => new Element(name),
  createElementNS: (space, name) => new Element(name),
  getElementById: (id) => (id === 'page' ? page : {textContent: DATA}),
};

/** How wide a chart's place is, by the grid that contains it. */
function widthOf(element) {
  if (!element) return WIDE;
  const classes = String(element.attributes.class).split(' ');
  return classes.includes('three') ? THIRD : classes.includes('charts') ? HALF : widthOf(element.parent);
}

/** After all scripts: every chart in the width of its place. */
function layOut() {
  observed.forEach((one) => {
    one.element.clientWidth = widthOf(one.element);
    one.callback();
  });
  return page;
}
