package rank_test

import (
	"fmt"
	"testing"
)

// Identifiers and prose of any script are found by words as people write
// them: in other letters' case, without their accents, in another composition.
func TestTasksInAnyScript(t *testing.T) {
	files := office().with(tree{
		"pay/russian.py":    "def рассчитать_скидку(заказ):\n    # Скидка постоянного покупателя\n    return заказ\n",
		"pay/greek.js":      "// Υπολογίζει την έκπτωση του πελάτη.\nexport function υπολογισμόςΈκπτωσης(πελάτης) {\n  return πελάτης;\n}\n",
		"pay/arabic.py":     "def takhfid(order):\n    # يحسب خصم العميل الدائم\n    return order\n",
		"pay/hebrew.py":     "def hanacha(order):\n    # מחשב הנחה ללקוח קבוע\n    return order\n",
		"pay/hindi.py":      "def छूट_गणना(आदेश):\n    # ग्राहक की छूट निकालता है\n    return आदेश\n",
		"pay/thai.py":       "def lot(order):\n    # คำนวณส่วนลดของลูกค้าประจำ\n    return order\n",
		"pay/vietnamese.go": "package pay\n\n// TinhChietKhau tính chiết khấu cho khách hàng thân thiết.\nfunc TinhChietKhau(khach int) int { return khach }\n",
		"pay/german.go":     "package pay\n\n// BerechneMengenstaffel ermittelt die Preisermäßigung für Großkunden.\nfunc BerechneMengenstaffel(stück int) int { return stück }\n",
		"pay/french.rb":     "# Calcule la remise accordée à l'abonné fidèle.\ndef remise_abonné(commande)\n  commande\nend\n",
		"pay/turkish.java":  "/** Sadık müşteriye İNDİRİM uygular. */\nclass Indirim {\n  int uygula(int sipariş) {\n    return sipariş;\n  }\n}\n",
		"pay/georgian.py":   "def pasdakleba(order):\n    # ითვლის მუდმივი კლიენტის ფასდაკლებას\n    return order\n",
		"pay/armenian.py":   "def zeghch(order):\n    # Հաշվարկում է հաճախորդի զեղչը\n    return order\n",
		"pay/latin.py":      "def subtotal(order):\n    # The customer's subtotal\n    return order\n",
	})
	dir := build(t, commit{msg: "Start", files: files})
	for _, c := range []struct{ task, want string }{
		{"где рассчитывается скидка постоянного покупателя", "pay/russian.py"},
		{"РАССЧИТАТЬ_СКИДКУ", "pay/russian.py"},
		{"РассчитатьСкидку падает", "pay/russian.py"},
		{"υπολογισμός έκπτωσης πελάτη", "pay/greek.js"},
		{"ΥΠΟΛΟΓΙΣΜΟΣ ΕΚΠΤΩΣΗΣ", "pay/greek.js"},
		{"خصم العميل", "pay/arabic.py"},
		{"خَصْم العميلِ", "pay/arabic.py"}, // with vowel points
		{"הנחה ללקוח", "pay/hebrew.py"},
		{"ग्राहक छूट", "pay/hindi.py"},
		{"ส่วนลดลูกค้า", "pay/thai.py"},
		{"tinh chiet khau cho khach hang", "pay/vietnamese.go"},
		{"Chiết khấu", "pay/vietnamese.go"},
		{"preisermassigung grosskunden", "pay/german.go"},
		{"PREISERMÄSSIGUNG", "pay/german.go"},
		{"Preiserma\u0308ßigung für Großkunden", "pay/german.go"},
		{"remise abonne fidele", "pay/french.rb"},
		{"remiseAbonné", "pay/french.rb"},
		{"müşteriye indirim uygula", "pay/turkish.java"},
		{"ფასდაკლებას კლიენტის", "pay/georgian.py"},
		{"հաճախորդի զեղչը", "pay/armenian.py"},
	} {
		wantFirst(t, ask(t, dir, c.task), c.want)
	}
}

// Words that only look like forms of others stay apart.
func TestStemmingDoesNoHarm(t *testing.T) {
	pairs := [][2]string{{"worker", "work"}, {"string", "str"}, {"embed", "emb"}, {"status", "statu"}, {"need", "ne"}, {"speed", "spe"}, {"sorter", "sort"}, {"spring", "spr"}, {"access", "acce"}}
	for _, p := range pairs {
		files := office()
		for i, w := range p {
			files[fmt.Sprintf("kit/k%d.py", i)] = fmt.Sprintf("def %s_zebra():\n    return '%s %s %s'\n", w, w, w, w)
		}
		dir := build(t, commit{msg: "Start", files: files})
		for i, w := range p {
			wantFirst(t, ask(t, dir, w+"_zebra"), fmt.Sprintf("kit/k%d.py", i))
		}
	}
}
