package eval

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// A plot is drawn as SVG with its title, axes and units in it, so that it can
// stand alone. Colours come from classes, so that one style sheet serves light
// and dark.
type plot struct {
	strings.Builder
	w, h                     float64
	left, right, top, bottom float64 // margins
	x0, x1, y0, y1           float64 // data ranges
	logX                     bool
}

func newPlot(title string, w, h float64) *plot {
	p := &plot{w: w, h: h, left: 64, right: 28, top: 34, bottom: 48}
	fmt.Fprintf(p, `<svg role="img" viewBox="0 0 %g %g" width="%g" height="%g" xmlns="http://www.w3.org/2000/svg"><title>%s</title>`, w, h, w, h, esc(title))
	p.text(w/2, 18, "middle", "title", title)
	return p
}

func esc(s string) string { return html.EscapeString(s) }

// num writes a coordinate: a tenth of a pixel is enough.
func num(v float64) string {
	s := fmt.Sprintf("%.1f", v)
	return strings.TrimSuffix(s, ".0")
}

func (p *plot) text(x, y float64, anchor, class, s string) {
	fmt.Fprintf(p, `<text x="%s" y="%s" text-anchor="%s" class="%s">%s</text>`, num(x), num(y), anchor, class, esc(s))
}

func (p *plot) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(p, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, num(x1), num(y1), num(x2), num(y2), class)
}

func (p *plot) rect(x, y, w, h float64, class, tip string) {
	fmt.Fprintf(p, `<rect x="%s" y="%s" width="%s" height="%s" class="%s"><title>%s</title></rect>`, num(x), num(y), num(math.Max(0, w)), num(math.Max(0, h)), class, esc(tip))
}

func (p *plot) scale(x0, x1, y0, y1 float64) {
	if x1 <= x0 {
		x1 = x0 + 1
	}
	if y1 <= y0 {
		y1 = y0 + 1
	}
	p.x0, p.x1, p.y0, p.y1 = x0, x1, y0, y1
}

func (p *plot) px(x float64) float64 {
	a, b := p.x0, p.x1
	if p.logX {
		a, b, x = math.Log(a), math.Log(b), math.Log(x)
	}
	return p.left + (x-a)/(b-a)*(p.w-p.left-p.right)
}

func (p *plot) py(y float64) float64 {
	return p.h - p.bottom - (y-p.y0)/(p.y1-p.y0)*(p.h-p.top-p.bottom)
}

// axes draws both axes with ticks and names; the names carry the units.
func (p *plot) axes(xName, yName string, xs, ys []float64, form string) {
	p.line(p.left, p.h-p.bottom, p.w-p.right, p.h-p.bottom, "axis")
	p.line(p.left, p.top, p.left, p.h-p.bottom, "axis")
	for _, x := range xs {
		p.line(p.px(x), p.h-p.bottom, p.px(x), p.h-p.bottom+4, "axis")
		p.text(p.px(x), p.h-p.bottom+16, "middle", "tick", fmt.Sprintf("%g", x))
	}
	for _, y := range ys {
		p.line(p.left, p.py(y), p.w-p.right, p.py(y), "grid")
		p.text(p.left-6, p.py(y)+4, "end", "tick", fmt.Sprintf(form, y))
	}
	p.text((p.left+p.w-p.right)/2, p.h-10, "middle", "name", xName)
	mid := (p.top + p.h - p.bottom) / 2
	fmt.Fprintf(p, `<text x="14" y="%s" text-anchor="middle" class="name" transform="rotate(-90 14 %s)">%s</text>`, num(mid), num(mid), esc(yName))
}

// curve joins points and marks each.
func (p *plot) curve(xs, ys []float64, class, what string) {
	var d strings.Builder
	for i := range xs {
		if i > 0 {
			d.WriteByte(' ')
		}
		fmt.Fprintf(&d, "%s,%s", num(p.px(xs[i])), num(p.py(ys[i])))
	}
	fmt.Fprintf(p, `<polyline points="%s" class="curve %s"/>`, d.String(), class)
	for i := range xs {
		fmt.Fprintf(p, `<circle cx="%s" cy="%s" r="3" class="dot %s"><title>%s</title></circle>`, num(p.px(xs[i])), num(p.py(ys[i])), class,
			esc(fmt.Sprintf("%s: %.3f at %g", what, ys[i], xs[i])))
	}
}

// band fills between two curves.
func (p *plot) band(xs, lo, hi []float64, class string) {
	var d strings.Builder
	for i := range xs {
		fmt.Fprintf(&d, "%s,%s ", num(p.px(xs[i])), num(p.py(hi[i])))
	}
	for i := len(xs) - 1; i >= 0; i-- {
		fmt.Fprintf(&d, "%s,%s ", num(p.px(xs[i])), num(p.py(lo[i])))
	}
	fmt.Fprintf(p, `<polygon points="%s" class="band %s"/>`, strings.TrimSpace(d.String()), class)
}

// legend names curves, top left below the title.
func (p *plot) legend(x, y float64, classes, names []string) {
	for i := range names {
		at := y + float64(i)*16
		p.line(x, at-4, x+18, at-4, "curve "+classes[i])
		p.text(x+24, at, "start", "tick", names[i])
	}
}

func (p *plot) done() string { p.WriteString("</svg>"); return p.String() }

// ticks gives about n round steps that cover a range.
func ticks(lo, hi float64, n int) []float64 {
	if !(hi > lo) {
		return []float64{lo}
	}
	raw := (hi - lo) / float64(n)
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*step >= raw {
			step *= m
			break
		}
	}
	var out []float64
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+step*1e-9; k++ {
		out = append(out, math.Round(k*step*1e9)/1e9+0) // + 0: not −0
	}
	return out
}
