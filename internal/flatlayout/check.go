package flatlayout

import "fmt"

// check checks that all names of the schema are declared and all types are allowed.
func (s *Schema) check() error {
	if len(s.Records) > MaxKinds {
		return fmt.Errorf("%d records, more than %d", len(s.Records), MaxKinds)
	}
	if err := s.checkNames(); err != nil {
		return err
	}
	for i := range s.Sums {
		seen := map[string]bool{}
		for _, variant := range s.Sums[i].Variants {
			if s.KindOf(variant) == 0 || seen[variant] {
				return fmt.Errorf("variant %s of sum %s is not a record, or is duplicated", variant, s.Sums[i].Name)
			}
			seen[variant] = true
		}
	}
	if s.KindOf(s.Root) == 0 && s.SumOf(s.Root) == nil {
		return fmt.Errorf("root %q is neither a sum nor a record", s.Root)
	}
	for i := range s.Structs {
		if len(s.Structs[i].Fields) == 0 {
			return fmt.Errorf("struct %s has no field", s.Structs[i].Name)
		}
		if err := s.checkFields(&s.Structs[i]); err != nil {
			return err
		}
	}
	for i := range s.Records {
		if err := s.checkFields(&s.Records[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkNames checks that no name is declared twice, and builds the index of names.
func (s *Schema) checkNames() error {
	s.index = nil
	made := &index{map[string]int{}, map[string]int{}, map[string]int{}}
	seen := map[string]bool{}
	add := func(to map[string]int, name string) error {
		if seen[name] {
			return fmt.Errorf("%s is declared twice", name)
		}
		seen[name] = true
		to[name] = len(to)
		return nil
	}
	for i := range s.Sums {
		if err := add(made.sums, s.Sums[i].Name); err != nil {
			return err
		}
	}
	for i := range s.Structs {
		if err := add(made.structs, s.Structs[i].Name); err != nil {
			return err
		}
	}
	for i := range s.Records {
		if err := add(made.records, s.Records[i].Name); err != nil {
			return err
		}
	}
	s.index = made
	return nil
}

func (s *Schema) checkFields(of *Struct) error {
	seen := map[string]bool{}
	for _, f := range of.Fields {
		if seen[f.Name] {
			return fmt.Errorf("field %s.%s is declared twice", of.Name, f.Name)
		}
		seen[f.Name] = true
		if err := s.checkField(f.Type); err != nil {
			return fmt.Errorf("field %s.%s: %w", of.Name, f.Name, err)
		}
	}
	return nil
}

func (s *Schema) checkField(t Type) error {
	switch t.Base {
	case Slice:
		return s.checkItem(*t.Elem)
	case Optional:
		if e := t.Elem.Base; !e.IsScalar() && e != String {
			return fmt.Errorf("an optional %s", t.Elem)
		}
		return nil
	default:
		return s.checkItem(t)
	}
}

func (s *Schema) checkItem(t Type) error {
	switch t.Base {
	case Slice, Optional:
		return fmt.Errorf("%s inside another type", t)
	case Array:
		return s.checkItem(*t.Elem)
	case Ref, Link:
		if s.KindOf(t.Name) == 0 && s.SumOf(t.Name) == nil {
			return fmt.Errorf("%s is neither a sum nor a record", t.Name)
		}
	case Inline:
		if s.StructOf(t.Name) == nil {
			return fmt.Errorf("%s is not a struct", t.Name)
		}
	}
	return nil
}
