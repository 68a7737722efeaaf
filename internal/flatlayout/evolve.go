package flatlayout

import (
	"errors"
	"fmt"
	"slices"
)

// Extends returns nil if files of the old schema can be converted to s. This requires that nothing
// changed except for the version, an added flat:share, added structs and sums, variants added after
// the last one, and fields added after the last field of a struct.
func (s *Schema) Extends(old *Schema) error {
	if s.Root != old.Root {
		return fmt.Errorf("the root was %s, but is now %s", old.Root, s.Root)
	}
	if old.Share && !s.Share {
		return errors.New("the old schema allows a node to have several parents (flat:share), but the new one does not")
	}
	for _, sum := range old.Sums {
		now := s.SumOf(sum.Name)
		if now == nil {
			return fmt.Errorf("sum %s is gone", sum.Name)
		}
		for _, variant := range sum.Variants {
			if !slices.Contains(now.Variants, variant) {
				return fmt.Errorf("%s is no longer a variant of %s", variant, sum.Name)
			}
		}
	}
	for i := range old.Structs {
		now := s.StructOf(old.Structs[i].Name)
		if now == nil {
			return fmt.Errorf("struct %s is gone", old.Structs[i].Name)
		}
		if err := now.extends(&old.Structs[i]); err != nil {
			return err
		}
	}
	for i := range old.Records {
		if i >= len(s.Records) || s.Records[i].Name != old.Records[i].Name {
			return fmt.Errorf("variant %s, the declaration number %d, was renamed, removed or moved; new variants come last", old.Records[i].Name, i+1)
		}
		if err := s.Records[i].extends(&old.Records[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Struct) extends(old *Struct) error {
	for i, f := range old.Fields {
		if i >= len(s.Fields) || s.Fields[i].Name != f.Name {
			return fmt.Errorf("field %s.%s was renamed, removed or moved; new fields come last", s.Name, f.Name)
		}
		if was, is := f.Type.String(), s.Fields[i].Type.String(); was != is {
			return fmt.Errorf("field %s.%s was %s, but is now %s", s.Name, f.Name, was, is)
		}
	}
	return nil
}
